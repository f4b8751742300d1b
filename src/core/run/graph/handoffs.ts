// Handoffs between working nodes: the inbox of the run, and which nodes wait for a reply. Computed from the events alone.
import type { Digest } from '../../digest/digest.ts'
import type { RunEvent } from '../events.ts'
import type { RunState } from '../state.ts'

/** On its way. */
export interface SentHandoff {
  readonly handoff: string
  readonly from: string
  readonly to: string
  readonly body: Digest
}

export type Reply =
  | { readonly kind: 'handoff'; readonly handoff: string; readonly body: Digest }
  /** The receiver has ended, and its output is the reply. */
  | { readonly kind: 'output'; readonly output: Digest }
  | { readonly kind: 'failed'; readonly code: string; readonly detail: string }

/** A call that stays open until there is a reply. */
export interface AwaitedReply {
  /** The handoff that requests the reply. */
  readonly handoff: string
  readonly nodeId: string
  readonly call: string
  readonly to: string
  /** Milliseconds since 1970. */
  readonly until: number
  /** Whether the receiver has read the request. An output from before that is not a reply. */
  readonly delivered: boolean
  readonly reply: Reply | null
}

type Of<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>

export function sent(state: RunState, { handoff, nodeId, to, body, answers, awaits }: Of<'handoff.sent'>): RunState {
  const reply: Reply = { kind: 'handoff', handoff, body }
  const answered = answers === null ? state.awaited : state.awaited.map(one => (one.handoff === answers ? { ...one, reply } : one))
  const replies = awaits === null ? [] : [{ handoff, nodeId, to, ...awaits, delivered: false, reply: null }]
  return {
    ...state,
    handoffs: state.handoffs + 1,
    inbox: answers === null ? [...state.inbox, { handoff, from: nodeId, to, body }] : state.inbox,
    awaited: [...answered, ...replies],
  }
}

export const delivered = (state: RunState, { handoff }: Of<'handoff.delivered'>): RunState => ({
  ...state,
  inbox: state.inbox.filter(one => one.handoff !== handoff),
  awaited: state.awaited.map(one => (one.handoff === handoff ? { ...one, delivered: true } : one)),
})

/** A node that has ended sends nothing more, and a settled call waits for nothing more. */
export function withReplies(state: RunState, event: RunEvent): RunState {
  if (state.awaited.length === 0) return state
  switch (event.type) {
    case 'call.settled':
      return { ...state, awaited: state.awaited.filter(({ nodeId, call }) => nodeId !== event.nodeId || call !== event.call) }
    case 'node.completed':
      return answeredBy(state, event.nodeId, { kind: 'output', output: event.output })
    case 'node.failed':
      return answeredBy(state, event.nodeId, { kind: 'failed', code: event.code, detail: event.detail })
    default:
      return state
  }
}

const answeredBy = (state: RunState, nodeId: string, reply: Reply): RunState => ({
  ...state,
  awaited: state.awaited.map(one => (one.to === nodeId && one.delivered && one.reply === null ? { ...one, reply } : one)),
})

export const hasMail = ({ inbox }: RunState, nodeId: string): boolean => inbox.some(({ to }) => to === nodeId)

/** The first that this node has read and not answered; null when this one waits for nothing of it. */
export const awaitedFrom = ({ awaited }: RunState, nodeId: string, by: string): AwaitedReply | null =>
  awaited.find(one => one.nodeId === by && one.to === nodeId && one.delivered && one.reply === null) ?? null
