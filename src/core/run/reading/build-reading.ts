// Builds the reading of a run from its recorded events, in one pass. Loads nothing and folds no state.
import type { Digest } from '../../digest/digest.ts'
import type { RecordedEvent } from '../../record/event.ts'
import type { StepStarted } from '../../turn/events.ts'
import { type RunEvent, runEvent } from '../events.ts'
import type { Place, RunCall, RunFact, RunReading, RunStep, RunVisit, VisitOutcome } from './reading.ts'

/** The part of a recorded event that a reading needs: a host shows no more over HTTP. */
export type ReadableEvent = Pick<RecordedEvent, 'seq' | 'at' | 'actor' | 'type' | 'payload'>

export interface ReadingBuilder {
  /** Takes the next event of the run's stream. */
  add(recorded: ReadableEvent): void
  /** Grows with every event that is added. */
  readonly reading: RunReading
}

type Open<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] }

/** The newest step of a node. */
interface OpenStep {
  readonly step: Open<RunStep>
  readonly calls: Map<string, Open<RunCall>>
}

export function readingBuilder(): ReadingBuilder {
  const reading = { visits: [] as RunVisit[], steps: [] as RunStep[], facts: [] as RunFact[], last: { sequence: -1, at: '' } }
  // By node: several are at work at the same time.
  const visits = new Map<string, Open<RunVisit>>()
  const steps = new Map<string, OpenStep>()
  /** The call of each approval. */
  const requests = new Map<string, string>()
  /** By node: the session and the config of its present visit. */
  const from = new Map<string, Pick<RunStep, 'session' | 'home' | 'config'>>()

  const begin = (place: Place, nodeId: string, visit: number, handoffs: Digest | null, outcome: VisitOutcome | null): void => {
    const begun: Open<RunVisit> = { ...place, nodeId, visit, handoffs, traced: [], composed: [], steps: [], outcome }
    visits.set(nodeId, begun)
    reading.visits.push(begun)
  }
  const end = ({ nodeId }: { readonly nodeId: string }, outcome: VisitOutcome): void => {
    const visit = visits.get(nodeId)
    if (visit !== undefined) visit.outcome = outcome
  }
  const send = (place: Place, { type: _, ...started }: StepStarted): void => {
    const visit = visits.get(started.nodeId)
    const step: Open<RunStep> = {
      ...started,
      ...place,
      visit: visit?.visit ?? 1,
      ...(from.get(started.nodeId) ?? { session: null, home: null, config: null }),
      outcome: null,
      calls: [],
      changes: [],
    }
    steps.set(started.nodeId, { step, calls: new Map() })
    reading.steps.push(step)
    visit?.steps.push(step)
  }
  const callOf = ({ nodeId, call: id }: { readonly nodeId: string; readonly call: string }, tool: string): Open<RunCall> | undefined => {
    const open = steps.get(nodeId)
    const openCall = open?.calls.get(id)
    if (open === undefined || openCall !== undefined) return openCall
    const call: Open<RunCall> = { id, tool, verdicts: [], answers: [], outcome: null }
    open.calls.set(id, call)
    open.step.calls.push(call)
    return call
  }

  function meet(place: Place, actor: string, event: RunEvent): void {
    const { sequence, at } = place
    switch (event.type) {
      case 'node.started':
        from.set(event.nodeId, { session: event.session ?? null, home: event.home ?? null, config: event.config })
        return begin(place, event.nodeId, event.visit, event.handoffs, null)
      case 'node.skipped':
        return begin(place, event.nodeId, (visits.get(event.nodeId)?.visit ?? 0) + 1, null, { status: 'skipped', reason: event.reason })
      case 'prompt.traced':
        return void visits.get(event.nodeId)?.traced.push({ ...event, ...place })
      case 'prompt.composed':
        return void visits.get(event.nodeId)?.composed.push(event)
      case 'step.started':
        return send(place, event)
      case 'step.settled': {
        const { reply, receipt, failure, tokens } = event
        const open = steps.get(event.nodeId)
        if (open !== undefined) open.step.outcome = { at, reply, receipt, failure, tokens }
        return
      }
      case 'files.changed': {
        const { type: _type, nodeId, step: _step, ...change } = event
        return void steps.get(nodeId)?.step.changes.push(change)
      }
      case 'calls.asked':
        for (const { id, name } of event.calls) callOf({ nodeId: event.nodeId, call: id }, name)
        return
      case 'call.judged':
        return void callOf(event, event.tool)?.verdicts.push({ sequence, verdict: event.verdict })
      case 'approval.requested': {
        if (event.wants.kind !== 'tool') break
        requests.set(event.approval, event.wants.call)
        return
      }
      case 'approval.resolved': {
        const call = requests.get(event.approval)
        if (call === undefined) break
        return void callOf({ nodeId: event.nodeId, call }, '?')?.answers.push({ sequence, decision: event.decision })
      }
      case 'call.settled': {
        const { type: _type, nodeId: _nodeId, call: _call, tool, arguments: _arguments, resultHash: _hash, ...outcome } = event
        const call = callOf(event, tool)
        if (call !== undefined) call.outcome = { sequence, ...outcome }
        return
      }
      case 'node.completed':
        return end(event, { status: 'completed' })
      case 'node.cancelled':
        return end(event, { status: 'cancelled' })
      case 'node.failed':
        return end(event, { status: 'failed', code: event.code, detail: event.detail })
    }
    reading.facts.push({ ...place, actor, event })
  }

  return {
    reading,
    add(recorded) {
      const place = { sequence: recorded.seq, at: recorded.at }
      reading.last = place
      meet(place, recorded.actor, runEvent(recorded))
    },
  }
}
