// Builds the documents of a run from the record: its snapshot, and its events in OpenWOP's names. Caches nothing.
import type { Digest } from '../../../core/digest/digest.ts'
import type { JsonObject } from '../../../core/digest/is-object.ts'
import { type ForkOf, isReplay } from '../../../core/run/fork.ts'
import { factsOf } from '../../../core/run/reading/reading.ts'
import { isEnded, type NodeState, nodeOf, type RunState } from '../../../core/run/state.ts'
import { type LoadedRun, loadRun } from '../../../engine/runs/load.ts'
import { loadReading } from '../../../engine/runs/read-run.ts'
import { findRun } from '../../../engine/runs/runs.ts'
import { workflowNow } from '../../../engine/runs/start/world.ts'
import { Fault } from '../../../errors.ts'
import type { Store, StoredEvent } from '../../../ports.ts'
import { type Observability, type ReadBody, type RunEventDoc, runOutputs, toRunEventDoc } from '../../../wire/openwop/run-event.ts'
import { EVENT_LOG_SCHEMA_VERSION, runStatus } from '../../../wire/openwop/run-status.ts'

/** Throws `run_missing`, also for a run of another tenant. */
export async function existingRun(store: Store, tenant: string, runId: string): Promise<LoadedRun> {
  const run = await loadRun(store, tenant, runId)
  if (run.seq < 0) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  return run
}

export const bodyReader =
  (store: Store, tenant: string): ReadBody =>
  digest =>
    store.object(tenant, digest).then(
      bytes => new TextDecoder().decode(bytes),
      error => {
        if (error instanceof Fault && error.code === 'object_missing') return null
        throw error
      },
    )

export const runDocument = (
  store: Store,
  tenant: string,
  state: Pick<RunState, 'forkOf'>,
  { event }: StoredEvent,
  observability: Observability,
): Promise<RunEventDoc> => toRunEventDoc(event, { observability, isReplay: isReplay(state) }, bodyReader(store, tenant))

/** OpenWOP's RunSnapshot, with our own fields. */
export async function runSnapshot(store: Store, tenant: string, { state, seq, createdAt }: LoadedRun): Promise<object> {
  const read = bodyReader(store, tenant)
  const kept = async (digest: Digest | null, name: string): Promise<JsonObject | null> => {
    const text = digest === null ? null : await read(digest)
    return text === null ? null : ((JSON.parse(text) as JsonObject)[name] as JsonObject)
  }
  const { runId, workflowId, mode, orchestration, budget, steps, tokens, tags, approvals, failure } = state
  const workflow = await workflowNow(store, tenant, state)
  const ended = isEnded(state) ? await findRun(store, tenant, runId) : null
  const [configurable, metadata] = [await kept(state.configurable, 'configurable'), await kept(state.metadata, 'metadata')]
  return {
    runId,
    workflowId,
    status: runStatus(state),
    startedAt: createdAt,
    ...(ended === null ? {} : { completedAt: ended.changedAt }),
    ...(state.forkOf === undefined ? {} : { forkOf: forkView(state.forkOf) }),
    nodeStates: Object.fromEntries(workflow.nodes.map(({ id }) => [id, nodeView(nodeOf(state, id))])),
    variables: (await kept(state.inputs, 'inputs')) ?? {},
    ...(state.outputs === null ? {} : { outputs: await runOutputs(state.outputs, read) }),
    ...(failure === null ? {} : { error: { code: failure.code, message: failure.detail }, ...failedNode(failure.failedNodeId) }),
    tags,
    ...(metadata === null ? {} : { metadata }),
    ...(configurable === null ? {} : { configurable }),
    mode,
    orchestration,
    budget,
    steps,
    tokens,
    ...(await told(store, tenant, state, read)),
    approvals,
    lastSequence: seq,
    eventLogSchemaVersion: EVENT_LOG_SCHEMA_VERSION,
  }
}

const forkView = ({ runId, fromSeq, mode, copied }: ForkOf) => ({ runId, fromSeq, mode, copied })

const failedNode = (nodeId: string | null) => (nodeId === null ? {} : { failedNodeId: nodeId })

const nodeView = ({ status, visits, steps, session }: NodeState) => ({
  status,
  visits,
  steps,
  session,
})

/** Facts that only the events have: the author of each override, and the evidence for pausing a stalled run. */
async function told(store: Store, tenant: string, state: RunState, read: ReadBody): Promise<object> {
  const { paused, override } = state
  const stalled = paused?.reason === 'stalled'
  if (!stalled && override === null && Object.keys(state.overrides).length === 0)
    return { overrides: [], paused: paused === null ? null : { ...paused, evidence: null } }
  const reading = await loadReading(store, tenant, state.runId)
  const given = new Map<string | null, object>()
  for (const { event, actor, at } of factsOf(reading, 'override.given')) {
    const { nodeId } = event
    given.delete(nodeId)
    if (event.text === null) continue
    const text = await read(event.text)
    given.set(nodeId, { nodeId, text: text === null ? null : (JSON.parse(text) as { readonly text: string }).text, actor, at })
  }
  const evidence = stalled ? (factsOf(reading, 'run.stalled').at(-1)?.event.evidence ?? null) : null
  return { overrides: [...given.values()], paused: paused === null ? null : { ...paused, evidence } }
}
