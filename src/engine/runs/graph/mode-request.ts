// Lets a node ask a person for another mode. The answer reaches the node as a message.
import type { NodeOfRun } from '../../../core/session/events.ts'
import type { Store } from '../../../ports.ts'
import { loadRun } from '../load.ts'
import type { RunWork } from '../work.ts'

const ACTOR = 'onbook'

/** Null when no approval is needed. A node that asks twice gets the same answer. */
export async function askForMode(
  store: Store,
  submit: RunWork['submit'],
  approval: string,
  tenant: string,
  { runId, nodeId }: NodeOfRun,
  reason: string,
): Promise<string | null> {
  const { state } = await loadRun(store, tenant, runId)
  const known = state.approvals.find(one => one.nodeId === nodeId && one.wants.kind === 'mode')
  if (known !== undefined) return known.approval
  if (state.mode === 'implementation') return null
  const wants = { kind: 'mode', mode: 'implementation', reason } as const
  const { refusal } = await submit({ tenant, runId, actor: ACTOR }, { type: 'askApproval', approval, nodeId, wants })
  return refusal === null ? approval : null
}
