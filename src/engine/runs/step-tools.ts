// Which tools a node is shown in a step, where that is not simply what its session would be: an agent may be shown fewer, a planner one more.

import type { Agent } from '../../core/agent/agent.ts'
import type { Mode } from '../../core/compose/mode.ts'
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { collectTools, readTools, type ToolSet } from '../../core/messages/read-tools.ts'
import { snapshotAtStep } from '../../core/session/apply.ts'
import { toolsOf } from '../../core/session/materialize.ts'
import type { SessionState } from '../../core/session/state.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { catalogText } from '../sessions/catalog-text.ts'
import { REQUEST_DESCRIPTOR } from './request-implementation.ts'

const PLANNING = catalogText([REQUEST_DESCRIPTOR])
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

export interface StepTools {
  readonly toolDigests: readonly Digest[]
  readonly objects: readonly Uint8Array[]
}

/** Null when they are those of the session. */
export async function stepTools(
  store: Store,
  tenant: string,
  session: SessionState,
  hostCatalog: { readonly digest: Digest; readonly bytes: Uint8Array } | null,
  { agent, mode }: { readonly agent: Agent | null; readonly mode: Mode },
): Promise<StepTools | null> {
  const { run } = session
  const allowed = agent?.toolAllowlist ?? null
  if (run === null || (allowed === null && mode !== 'planning')) return null
  const snapshot = snapshotAtStep(session)
  const { tools } = toolsOf({ config: run.config, snapshot, hostCatalog: hostCatalog?.digest ?? null })
  const usual = tools ?? []
  const shown = allowed === null ? null : await onlyThose(store, tenant, usual, hostCatalog, allowed)
  const texts = [...(shown === null ? [] : [shown]), ...(mode === 'planning' ? [PLANNING] : [])]
  return {
    toolDigests: [...(shown === null ? usual : []), ...texts.map(digestText)],
    objects: [...(hostCatalog === null ? [] : [hostCatalog.bytes]), ...texts.map(encode)],
  }
}

async function onlyThose(
  store: Store,
  tenant: string,
  digests: readonly Digest[],
  hostCatalog: { readonly digest: Digest; readonly bytes: Uint8Array } | null,
  allowed: readonly string[],
): Promise<string> {
  const sets: ToolSet[] = []
  for (const digest of digests) {
    const found = readTools(digest === hostCatalog?.digest ? hostCatalog.bytes : await store.object(tenant, digest))
    if (!found.ok) throw new Fault('object_unfit', { digest, problem: found.problem.message })
    sets.push(found)
  }
  const collected = collectTools(sets, undefined)
  if (!collected.ok) throw new Fault('object_unfit', { digest: digests.at(-1)!, problem: collected.problem.message })
  return catalogText(collected.tools.filter(({ name }) => allowed.includes(name)))
}
