// Runs as they are shown: the snapshot, and events in OpenWOP's words. Reads the record, and keeps nothing.
import type { Digest } from '../core/digest/digest.ts'
import type { JsonObject } from '../core/digest/is-object.ts'
import { runEvent, runStream } from '../core/run/events.ts'
import { type ForkOf, isReplay } from '../core/run/fork.ts'
import type { StallEvidence } from '../core/run/stall.ts'
import { isEnded, type NodeState, nodeOf, type RunState } from '../core/run/state.ts'
import { type LoadedRun, loadRun } from '../engine/runs/load.ts'
import { findRun } from '../engine/runs/runs.ts'
import { workflowNow } from '../engine/runs/world.ts'
import { Fault } from '../errors.ts'
import type { Store, StoredEvent } from '../ports.ts'
import { type Observability, type ReadBody, type RunEventDoc, runOutputs, toRunEventDoc } from '../wire/openwop/run-event.ts'
import { EVENT_LOG_SCHEMA_VERSION, runStatus } from '../wire/openwop/run-status.ts'

/** Throws `run_missing`, also for another tenant's. */
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

/** OpenWOP's RunSnapshot, and what we know beyond it. */
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
  session: session === '' ? null : session,
})

interface GivenOverride {
  readonly nodeId: string | null
  readonly text: string | null
  readonly actor: string
  readonly at: string
}

/** What only the events say: who gave which override, and on what evidence a run that stalled was paused. */
async function told(store: Store, tenant: string, state: RunState, read: ReadBody): Promise<object> {
  const { paused, override } = state
  const given = new Map<string | null, GivenOverride>()
  let evidence: StallEvidence | null = null
  const stalled = paused?.reason === 'stalled'
  const isTold = stalled || override !== null || Object.keys(state.overrides).length > 0
  if (isTold)
    for await (const { event: recorded } of store.read(tenant, runStream(state.runId), -1)) {
      const event = runEvent(recorded)
      if (event.type === 'run.stalled' && stalled) evidence = event.evidence
      if (event.type !== 'override.given') continue
      given.delete(event.nodeId)
      if (event.text === null) continue
      const text = await read(event.text)
      const { actor, at } = recorded
      given.set(event.nodeId, {
        nodeId: event.nodeId,
        text: text === null ? null : (JSON.parse(text) as { readonly text: string }).text,
        actor,
        at,
      })
    }
  return { overrides: [...given.values()], paused: paused === null ? null : { ...paused, evidence } }
}
