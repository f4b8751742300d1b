// Asks a session directly: creates a run with a graph of one node. The run, its node and its first step are one commit.
import type { Digest } from '../../../core/digest/digest.ts'
import type { RunEvent } from '../../../core/run/events.ts'
import { comingConfig, comingSnapshot, ownSelection, unsyncedProblem } from '../../../core/session/coming-snapshot.ts'
import { configProblem, type RunConfig } from '../../../core/session/config.ts'
import type { StoredText } from '../../../core/session/history.ts'
import { nameProblem } from '../../../core/session/names.ts'
import type { Snapshot } from '../../../core/session/snapshot.ts'
import type { SessionState } from '../../../core/session/state.ts'
import { checkedResult } from '../../../core/session/sync-effects.ts'
import { SESSION_NODE, sessionWorkflow } from '../../../core/workflow/session-workflow.ts'
import { Fault } from '../../../errors.ts'
import type { Commit } from '../../../ports.ts'
import { checkMessage } from '../../sessions/check-message.ts'
import { loadSession } from '../../sessions/load.ts'
import { refusalFault, sessionMissing } from '../../sessions/requests.ts'
import { submit } from '../../sessions/submit.ts'
import { syncFor } from '../../sessions/sync-for.ts'
import { checkReady } from '../../turns/ready-provider.ts'
import type { NodeDesk } from '../../turns/start-step.ts'
import type { LoadedRun } from '../load.ts'
import { configFor, startNode } from '../start-node.ts'
import type { RunParts } from '../work.ts'
import { type LoadSession, type RunChange, type RunPlace, writeRun } from '../write-run.ts'
import { type CreatedRun, checkNew, draftOfRun } from './create.ts'
import { worldWith } from './world.ts'

export interface AskSession {
  readonly session: string
  readonly input: Digest | null
  /** In place of the session's config, as a whole. */
  readonly overrides: RunConfig | null
  readonly interactive: boolean
  readonly objects: readonly Uint8Array[]
  readonly idempotency?: (run: number) => Commit['idempotency'] | undefined
}

const NO_KNOWN = { providers: [], models: [] }

/** Throws what the session refuses, and `run_refused` for a workspace that cannot be had. */
export async function askSession(
  parts: RunParts,
  place: RunPlace,
  { session, input, overrides, interactive, objects, idempotency }: AskSession,
  desk: Pick<NodeDesk, 'hostCatalog' | 'resumes' | 'calls'> & { readonly owner: string },
): Promise<Omit<CreatedRun, 'warnings'>> {
  const { store, world } = parts
  const { tenant, runId, actor } = place
  const { state } = await loadSession(store, tenant, session)
  if (state.session === '') throw sessionMissing(session)
  if (input !== null) await checkMessage(store, tenant, input, objects)
  const own = await ownSnapshot(parts, place, state, overrides)
  const { provider } = overrides ?? usualConfig(parts, state)
  // A session in which a run is at work refuses a further one, whatever its provider lacks.
  if (state.open === null) await checkReady(parts, [provider.trim()])
  const direct = { session, input, interactive, config: overrides, snapshot: own?.snapshot ?? null }
  const workflow = sessionWorkflow(session)
  const beginning = await draftOfRun(store, place, { workflow, direct }, world, desk.owner, null)
  const decide = async (run: LoadedRun, load: LoadSession): Promise<RunChange<readonly RunEvent[]>> => {
    checkNew(run.state, runId)
    const frozen = worldWith(workflow, world)
    const begun = await startNode({ store, tenant, nodeId: SESSION_NODE, run, frozen, load, ...desk }, null, beginning.draft)
    if (begun?.problem != null) throw refusalFault(begun.problem)
    const { draft, texts = [], objects: made = [] } = begun!
    const storedAnswer = idempotency?.((await load(session)).state.runs + 1)
    return {
      draft,
      texts: [...beginning.texts, ...(own?.objects ?? []), ...texts],
      objects: [...objects, ...made],
      ...(storedAnswer === undefined ? {} : { idempotency: storedAnswer }),
      answer: draft.events,
    }
  }
  const { run, answer, replayed } = (await writeRun(store, { tenant, runId, actor }, decide, true))!
  return { run, events: answer, replayed }
}

/** A session that names no provider uses the host's model, as a node does. */
const usualConfig = ({ world }: RunParts, state: SessionState): RunConfig =>
  configFor({ agents: new Map(), model: world.model }, sessionWorkflow(state.session).nodes[0]!, comingConfig(state))

interface Own {
  readonly snapshot: Snapshot
  readonly objects: readonly StoredText[]
}

/** A run whose config names another workspace than its session gets a snapshot for itself alone. Null where the session's will do. */
async function ownSnapshot(parts: RunParts, place: RunPlace, state: SessionState, overrides: RunConfig | null): Promise<Own | null> {
  const coming = comingSnapshot(state)
  const config = overrides ?? usualConfig(parts, state)
  const problem = configProblem(config, NO_KNOWN)
  if (problem !== null) throw refusalFault(problem)
  if (overrides === null) {
    const unsynced = unsyncedProblem(config, coming, state.session)
    if (unsynced !== null) throw refusalFault({ code: 'snapshot_missing', message: unsynced })
    return null
  }
  const selection = ownSelection(overrides, coming)
  if (selection === 'unset') throw new Fault('workspace_unset', { problem: 'The run names a prelude or a catalog, but no workspace' })
  if (selection === null) return null
  const misnamed = nameProblem(selection)
  if (misnamed !== null) throw refusalFault({ code: 'name_invalid', message: misnamed })
  const at = { tenant: place.tenant, session: state.session, actor: place.actor }
  const result = checkedResult(await syncFor(parts, at, selection, null), selection)
  if (result.outcome === 'ready') return result
  // There was nothing to compare with, so nothing can be unchanged.
  const { stage, code, detail } =
    result.outcome === 'failed' ? result : { stage: 'validate' as const, code: 'snapshot_mismatch', detail: 'a run has nothing to keep' }
  const { state: after } = await submit(parts.store, at, { type: 'refuseRun', stage, code, detail })
  throw new Fault('run_refused', { session: state.session, run: after.runs, stage, code, detail })
}
