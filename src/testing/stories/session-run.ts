// Drives a session together with the run that works in it, in memory: the run attaches, takes steps and ends as the engine lets it.
import { adoptedAtStep } from '../../core/session/apply.ts'
import { comingConfig, comingSnapshot } from '../../core/session/coming-snapshot.ts'
import type { RunConfig } from '../../core/session/config.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { StepStarted } from '../../core/turn/events.ts'
import { messagesAdded } from '../../core/turn/messages.ts'
import { reduceTurn } from '../../core/turn/reduce.ts'
import { must, named, PLACE, type Story } from './session-story.ts'
import { must as mustTurn, settleStep, startStep, type TurnStory, turnStory } from './turn-story.ts'

export interface SessionRun {
  readonly story: Story
  readonly turn: TurnStory
  /** Whether the run has a snapshot of its own: nothing that the session applies reaches it. */
  readonly isOwn: boolean
}

/** From the request to the first step, unsettled. @param own the config and the snapshot that the run brings along */
export function startRun(story: Story, { config, snapshot }: { config?: RunConfig; snapshot?: Snapshot } = {}): SessionRun {
  const begins = {
    config: config ?? comingConfig(story.state),
    snapshot: snapshot ?? comingSnapshot(story.state)?.snapshot ?? null,
    history: story.state.history,
    left: story.state.left,
  }
  must(story, { type: 'attachRun', ...PLACE })
  const turn = turnStory({ ...begins, apply: story.state.workspace.applies })
  const run: SessionRun = { story, turn, isOwn: snapshot !== undefined }
  nextStep(run, 'Write.')
  return run
}

/** The next step, unsettled. A snapshot that waited for it is applied. */
export function nextStep(run: SessionRun, input: string | null = null): StepStarted {
  const { story, turn, isOwn } = run
  const adopt = isOwn ? null : adoptedAtStep(story.state, turn.turn, true)
  must(story, { type: 'reachStep', isOwn: true })
  const user = input === null ? null : named(input)
  record(run, () => mustTurn(turn, startStep(turn.turn.steps + 1, { user, ...(adopt === null ? {} : { adopt }) })))
  return turn.events.findLast((event): event is StepStarted => event.type === 'step.started')!
}

/** A reply that asks for a call, and the result: the next step may begin. */
export function replyWithCall(run: SessionRun): void {
  const { turn } = run
  record(run, () => mustTurn(turn, settleStep(turn.turn.steps, 'I look.', [{ id: '1', name: 'look', arguments: named('{}') }])))
  record(run, () => mustTurn(turn, { type: 'settleCall', call: '1', outcome: { status: 'succeeded' }, result: named('seen') }))
}

/** A reply that asks for nothing ends the run. */
export function endRun(run: SessionRun): void {
  const { story, turn } = run
  record(run, () => mustTurn(turn, settleStep(turn.turn.steps)))
  must(story, { type: 'appendMessages', messages: messagesAdded(turn.turn, { type: 'node.completed' }) })
  turn.turn = reduceTurn(turn.turn, { type: 'node.completed' })
  must(story, { type: 'detachRun', ...PLACE, left: turn.turn.left })
}

/** The session keeps the messages that the events of its turn add. */
function record({ story, turn }: SessionRun, act: () => void): void {
  const { turn: before, events } = turn
  const from = events.length
  act()
  let folded = before
  for (const event of events.slice(from)) {
    const messages = messagesAdded(folded, event)
    if (messages.length > 0) must(story, { type: 'appendMessages', messages })
    folded = reduceTurn(folded, event)
  }
}
