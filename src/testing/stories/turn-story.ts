// Drives one turn in memory, as the conductor would: decides, folds, and keeps the pieces of the history that must be stored.
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { emptyConfig, type RunConfig } from '../../core/session/config.ts'
import { closedPieces, emptyHistory } from '../../core/session/history.ts'
import type { SettleStep, StartStep, TurnCommand } from '../../core/turn/commands.ts'
import { cancelTurn, decideTurn } from '../../core/turn/decide.ts'
import { draftTurn, type TurnEnd, type TurnRuling } from '../../core/turn/draft.ts'
import type { PromptRecord, ToolCall, TurnEvent } from '../../core/turn/events.ts'
import { messagesAdded } from '../../core/turn/messages.ts'
import { reduceTurn } from '../../core/turn/reduce.ts'
import type { Turn } from '../../core/turn/state.ts'

export const NODE = 'writer'

/** The name of a text that a test need not store. */
export const named = (text: string): Digest => digestText(text)

export const turnConfig = (fields: Partial<RunConfig> = {}): RunConfig => ({
  ...emptyConfig,
  provider: 'scripted',
  model: 'small',
  ...fields,
})

export const freshTurn = (fields: Partial<Turn> = {}): Turn => ({
  phase: 'running',
  interactive: false,
  config: turnConfig(),
  snapshot: null,
  apply: 0,
  steps: 0,
  step: null,
  calls: [],
  left: [],
  history: emptyHistory,
  ...fields,
})

export const PROMPT: PromptRecord = {
  full: named(''),
  blocks: {},
  segments: named('[]'),
  templates: [],
  mode: 'implementation',
  repeatHash: named('repeat'),
  sent: { kind: 'full', reason: 'cannot_resume', text: null, headerHash: named('header'), held: 0 },
}

export interface TurnStory {
  turn: Turn
  end: TurnEnd | null
  readonly events: TurnEvent[]
  readonly objects: Map<Digest, string>
}

export const turnStory = (fields: Partial<Turn> = {}): TurnStory => ({ turn: freshTurn(fields), end: null, events: [], objects: new Map() })

export function tell(story: TurnStory, command: TurnCommand): TurnRuling {
  const ruling = decideTurn(draftTurn(NODE, story.turn), command)
  if ('events' in ruling) keep(story, ruling)
  return ruling
}

function keep(story: TurnStory, { turn, events, objects, end }: Extract<TurnRuling, { readonly turn: Turn }>): void {
  events.reduce((before, event) => {
    for (const { digest, text } of closedPieces(before.history, messagesAdded(before, event))) story.objects.set(digest, text)
    return reduceTurn(before, event)
  }, story.turn)
  story.turn = turn
  story.end = end ?? story.end
  story.events.push(...events)
  for (const { digest, text } of objects) story.objects.set(digest, text)
}

/** The types of the events that came of it. */
export function must(story: TurnStory, command: TurnCommand): readonly string[] {
  const ruling = tell(story, command)
  if (!('events' in ruling)) throw new Error(`${command.type}: ${ruling.code}: ${ruling.message}`)
  return ruling.events.map(({ type }) => type)
}

export function cancelStory(story: TurnStory): readonly string[] {
  const draft = cancelTurn(draftTurn(NODE, story.turn))
  keep(story, draft)
  return draft.events.map(({ type }) => type)
}

/** Folds in the event that ends the node, as the run emits it. */
export function endStory(story: TurnStory): void {
  const { end, turn } = story
  const event =
    end?.status === 'completed'
      ? ({ type: 'node.completed' } as const)
      : end?.status === 'failed'
        ? ({ type: 'node.failed', code: end.code } as const)
        : null
  if (event === null) return
  for (const { digest, text } of closedPieces(turn.history, messagesAdded(turn, event))) story.objects.set(digest, text)
  story.turn = reduceTurn(turn, event)
}

export const startStep = (step: number, fields: Partial<StartStep> = {}): StartStep => ({
  type: 'startStep',
  step,
  prompt: PROMPT,
  system: null,
  user: named('Write.'),
  toolDigests: null,
  hostCatalog: null,
  ...fields,
})

export const call = (id: string, name = 'look'): ToolCall => ({ id, name, arguments: named(`{"at":"${id}"}`) })

export const settleStep = (step: number, reply: string | null = 'Done.', calls: readonly ToolCall[] = []): SettleStep => ({
  type: 'settleStep',
  step,
  read: reply === null ? null : { reply: named(reply), replyHash: named(`hash of ${reply}`), calls, misfit: null },
  receipt: named('receipt'),
  failure: reply === null ? { code: 'provider_failed', detail: 'no reply' } : null,
  tokens: null,
})
