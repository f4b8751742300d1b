// What every step of a run told its agent, and what came of it. Reads the run's stream, and nothing else.
import type { Digest } from '../../core/digest/digest.ts'
import type { FilesChange, Worker } from '../../core/run/changes.ts'
import { runEvent, runStream } from '../../core/run/events.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import type { Failure } from '../../core/session/events.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { Store } from '../../ports.ts'

export interface StepOutcome {
  readonly at: string
  readonly reply: Digest | null
  readonly receipt: Digest | null
  readonly failure: Failure | null
  readonly tokens: number | null
}

export type StepChange = Worker & FilesChange

export interface StepPrompt {
  /** Of the event that put it on record, before it was sent. */
  readonly sequence: number
  readonly at: string
  readonly nodeId: string
  /** Which time the node was at work; steps are counted anew each time. */
  readonly visit: number
  readonly session: string
  readonly step: number
  readonly prompt: PromptRecord
  readonly requestHash: Digest
  readonly snapshot: Snapshot | null
  /** Null while nobody knows. */
  readonly outcome: StepOutcome | null
  /** Of the repo, by the agent or by its tools, in order. */
  readonly changes: readonly StepChange[]
}

/** Oldest first. */
export async function promptsOf(store: Store, tenant: string, runId: string): Promise<readonly StepPrompt[]> {
  const visits = new Map<string, number>()
  const open = new Map<string, number>()
  const steps: StepPrompt[] = []
  for await (const { event: recorded } of store.read(tenant, runStream(runId), -1)) {
    const event = runEvent(recorded)
    const { seq: sequence, at } = recorded
    if (event.type === 'node.started') visits.set(event.nodeId, event.visit)
    if (event.type === 'step.started') {
      const { nodeId, session, step, prompt, requestHash, snapshot } = event
      open.set(nodeId, steps.length)
      steps.push({
        sequence,
        at,
        nodeId,
        visit: visits.get(nodeId) ?? 1,
        session,
        step,
        prompt,
        requestHash,
        snapshot,
        outcome: null,
        changes: [],
      })
    }
    if (event.type === 'step.settled') {
      const { nodeId, reply, receipt, failure, tokens } = event
      const index = open.get(nodeId)
      if (index !== undefined) steps[index] = { ...steps[index]!, outcome: { at, reply, receipt, failure, tokens } }
    }
    if (event.type === 'files.changed') {
      const { by, call, diff, cut, files, more, shared } = event
      const index = open.get(event.nodeId)
      const change = { by, call, diff, cut, files, more, shared }
      if (index !== undefined) steps[index] = { ...steps[index]!, changes: [...steps[index]!.changes, change] }
    }
  }
  return steps
}
