// A handoff put before a node that waits for somebody to say something. Whoever is at work finds its mail at its next step.
import { draftRun, emitRun } from '../../core/run/decide.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { Store } from '../../ports.ts'
import { decideAll } from './decide-session.ts'
import type { LoadedFrozen } from './frozen.ts'
import type { LoadedRun } from './load.ts'
import { deliveries, lettersOf, mailTo } from './mail.ts'
import { withTold } from './mode-answers.ts'
import type { Settled } from './replies.ts'
import type { LoadNode, RunChange } from './write-run.ts'

interface Delivering {
  readonly run: LoadedRun
  readonly frozen: LoadedFrozen
  readonly load: LoadNode
}

/** The oldest. Null when there is none, or the node does not wait. */
export async function deliverMail(
  store: Store,
  tenant: string,
  nodeId: string,
  { run: { state }, frozen: { workflow }, load }: Delivering,
): Promise<RunChange<Settled> | null> {
  const { status, session } = nodeOf(state, nodeId)
  const mail = (await mailTo(store, tenant, state, nodeId)).slice(0, 1)
  if (status !== 'waiting' || mail.length === 0 || state.phase !== 'running') return null
  const { state: before, seq } = await load(session)
  const { commands, texts } = lettersOf(state.runId, mail)
  const decided = decideAll(before, commands)
  if (decided.refusal !== null) return null
  const draft = emitRun(draftRun(state), ...deliveries(nodeId, mail))
  const change = withTold(draft, workflow, { nodeId, session, seq, before, decided, texts })
  return { ...change, objects: decided.objects, answer: { session, effects: decided.effects } }
}
