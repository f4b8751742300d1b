// Reads the steps of a recorded run, each with all its inputs. Stops where the run no longer matches its record.
import { runEvent, runStream } from '../../core/run/events.ts'
import { runFolding } from '../../core/run/reduce.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { StepStarted } from '../../core/turn/events.ts'
import type { Turn } from '../../core/turn/state.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import { Fault, type FaultCode } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { isMalformed } from '../reading/malformed.ts'
import { readChained } from '../replay/read-chained.ts'
import { remakeStep } from '../replay/remake-step.ts'
import { type LoadedRun, NO_RUN } from '../runs/load.ts'
import type { LoadedFrozen } from '../runs/start/frozen.ts'
import { worldOf } from '../runs/start/world.ts'
import { isDirect } from '../turns/task.ts'

export interface RecordedStep {
  /** The state right before the step. */
  readonly run: LoadedRun
  readonly frozen: LoadedFrozen
  readonly event: StepStarted
  /** With the snapshot of the step. */
  readonly turn: Turn
}

const BROKEN: readonly FaultCode[] = ['object_missing', 'object_corrupt', 'object_malformed', 'event_corrupt']

/** The problem with the run, or null when it is sound. `meet` receives every step that the record reproduces exactly. */
export async function eachRecordedStep(
  store: Store,
  tenant: string,
  runId: string,
  meet: (step: RecordedStep) => Promise<void>,
): Promise<string | null> {
  const problems: string[] = []
  const diverged = ({ sequence, stream = runStream(runId) }: { sequence: number; stream?: string }): void =>
    void problems.push(`event ${sequence} of ${stream} is not what the next one names`)
  const nextOf = readChained(store, tenant, runStream(runId), diverged, false)
  const next = runFolding()
  let run = NO_RUN
  for (let stored = await nextOf(); stored !== null; stored = await nextOf()) {
    const { event: recorded } = stored
    const event = runEvent(recorded)
    if (recorded.seq === 0) run = { ...run, createdAt: recorded.at, createdBy: recorded.actor }
    if (event.type === 'step.started' && problems.length === 0) {
      const step = await soundly(() => recordedStep(store, tenant, run, event))
      if (typeof step === 'string') problems.push(`event ${recorded.seq}: ${step}`)
      else await meet(step)
    }
    if (problems.length > 0) return problems[0]!
    const state = await soundly(async () => next(event))
    if (typeof state === 'string') return `event ${recorded.seq}: ${state}`
    run = { ...run, state, seq: recorded.seq }
  }
  if (run.seq < 0) throw new Fault('run_missing', { problem: `There is no run ${runId}` })
  return problems[0] ?? null
}

/** Returns the step, or the problem with it. */
async function recordedStep(store: Store, tenant: string, run: LoadedRun, event: StepStarted): Promise<RecordedStep | string> {
  const open = nodeOf(run.state, event.nodeId).turn
  if (open === null) return `node ${event.nodeId} was not started`
  const turn = { ...open, snapshot: event.apply === undefined ? open.snapshot : event.snapshot }
  const frozen = await worldOf(store, tenant, run.state)
  const node: WorkflowNode | undefined = frozen.workflow.nodes.find(({ id }) => id === event.nodeId)
  if (node === undefined) return `the run has no node ${event.nodeId}`
  // A session that is asked directly composes nothing: no proposal changes its steps.
  if (isDirect(node)) return { run, frozen, event, turn }
  const { composed, made } = await remakeStep({ store, tenant, run, frozen, node, event, turn })
  if (!composed.ok) return `the prompt cannot be composed: ${composed.code}`
  if (composed.prompt.full !== event.prompt.full) return 'the prompt differs'
  if (made?.ok !== true || made.requestDigest !== event.requestHash) return 'the request differs'
  return { run, frozen, event, turn }
}

async function soundly<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work()
  } catch (error) {
    if (isMalformed(error)) return `it says what no run says: ${error.message}`
    if (!(error instanceof Fault) || !BROKEN.includes(error.code)) throw error
    return error.message
  }
}
