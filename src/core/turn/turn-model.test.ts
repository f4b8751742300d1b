// Every situation of a turn, and every command in it, against the tables of src/testing/oracles/turn-model.ts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ACTIONS,
  CALL_IDS,
  type CallState,
  firstTurn,
  isOver,
  predict,
  type TurnModel,
  WALK_ACTIONS,
  workOf,
} from '../../testing/oracles/turn-model.ts'
import { runs } from '../../testing/runs.ts'
import {
  call,
  cancelStory,
  named as digestOf,
  endStory,
  settleStep,
  startStep,
  type TurnStory,
  tell,
  turnStory,
} from '../../testing/stories/turn-story.ts'
import type { Digest } from '../digest/digest.ts'
import { appendMessage, emptyHistory, historyHead, readHistory } from '../session/history.ts'
import type { TurnCommand } from './commands.ts'
import { planTurn } from './plan.ts'
import type { OpenCall } from './state.ts'

const digests = new Map<string, Digest>()
/** Hashed once: the same few texts are named very often. */
function named(text: string): Digest {
  const digest = digests.get(text) ?? digestOf(text)
  digests.set(text, digest)
  return digest
}

const BOTH = CALL_IDS.map(id => call(id))
const TOO_MANY = Array.from({ length: 257 }, (_, n) => call(String(n)))
const TERMS = { by: ['key:boss'], expiresAt: null, reason: 'a person has to approve it' }

function commandOf(action: string, { turn: { step, steps } }: TurnStory): TurnCommand {
  const [name, on = ''] = action.split(':')
  const open = step?.step ?? 1
  const settled = settleStep(open, `reply ${open}`)
  const judge = (decision: 'allowed' | 'refused' | 'waiting', again = false) =>
    ({ type: 'judgeCall', call: on, verdict: { decision, conditions: [] }, again, mode: null }) as const
  const answer = (decision: 'approved' | 'denied' | 'expired', by = 'key:boss') =>
    ({ type: 'answerApproval', approval: `approval ${on}`, decision, by, note: null, arguments: null }) as const
  switch (name) {
    case 'startStep':
      return startStep(steps + 1, { user: named(`user ${steps + 1}`) })
    case 'skipStep':
      return startStep(steps + 2)
    case 'retryStep':
      return { type: 'retryStep', step: open, code: 'busy', detail: '' }
    case 'reply':
      return settled
    case 'mail':
      return { ...settled, goesOn: true }
    case 'lateReply':
      return { ...settled, step: open + 1 }
    case 'misfit':
      return { ...settled, read: { ...settled.read!, misfit: { detail: 'it is a poem', onMisfit: 'fail' } } }
    case 'calls':
      return settleStep(open, `reply ${open}`, BOTH)
    case 'tooMany':
      return settleStep(open, `reply ${open}`, TOO_MANY)
    case 'noReply':
      return settleStep(open, null)
    case 'lost':
      return { ...settleStep(open, null), failure: { code: 'conversation_lost', detail: '' } }
    case 'complete':
      return { type: 'complete' }
    case 'fail':
      return { type: 'fail', code: 'broken', detail: '' }
    case 'judge':
      return judge('allowed')
    case 'judgeAgain':
      return judge('allowed', true)
    case 'refuse':
      return judge('refused')
    case 'ask':
      return { ...judge('waiting'), asks: { approval: `approval ${on}`, ...TERMS } }
    case 'approve':
      return answer('approved')
    case 'deny':
      return answer('denied')
    case 'expire':
      return answer('expired', 'onbook')
    case 'stranger':
      return answer('approved', 'key:clerk')
    case 'settle':
      return { type: 'settleCall', call: on, outcome: { status: 'succeeded' }, result: named(`result ${steps} ${on}`) }
    default:
      return { type: 'leaveMessage', message: { kind: on.split('/')[0] as 'steer', id: on, message: named(on) } }
  }
}

/** Sends the command; the code of a refusal, or null. */
function act(story: TurnStory, action: string): string | null {
  if (action === 'cancel') cancelStory(story)
  else {
    const ruling = tell(story, commandOf(action, story))
    if (!('events' in ruling)) return ruling.code
  }
  endStory(story)
  return null
}

function stateOf({ settled, started, approval }: OpenCall): CallState {
  if (settled !== null) return 'settled'
  if (started) return 'started'
  if (approval === null) return 'asked'
  return approval.decision === null ? 'waiting' : approval.decision === 'approved' ? 'approved' : 'denied'
}

function effectOf({ turn }: TurnStory): string {
  const effect = planTurn(turn)
  if (effect === null) return 'none'
  return effect.type === 'tool.call'
    ? `tool ${effect.call.id}`
    : effect.type === 'model.call'
      ? `model ${effect.step.step}`
      : `prepare ${effect.step}`
}

const seen = (story: TurnStory) => ({
  phase: story.end?.status ?? story.turn.phase,
  step: story.turn.steps,
  calls: story.turn.calls.map(stateOf),
  left: story.turn.left.map(({ id }) => id),
  effect: story.end === null ? effectOf(story) : null,
  history: story.turn.history,
})

const predicted = (model: TurnModel) => ({
  phase: model.phase,
  step: model.step,
  calls: model.calls,
  left: model.left,
  effect: isOver(model) ? null : workOf(model),
  history: model.history.map(named).reduce(appendMessage, emptyHistory),
})

/** Without the step number and the history there are finitely many. */
const situationOf = ({ phase, work, interactive, misfit, calls, left }: TurnModel): string =>
  [phase, work, interactive, misfit, calls.join(','), left.toSorted().join(',')].join(' ')

interface Way {
  readonly situation: string
  readonly way: readonly string[]
  readonly model: TurnModel
  readonly story: TurnStory
}

const fresh = (interactive: boolean): Way => ({
  situation: situationOf(firstTurn(interactive)),
  way: [],
  model: firstTurn(interactive),
  story: turnStory({ interactive }),
})
const copy = ({ turn, end }: TurnStory): TurnStory => ({ turn, end, events: [], objects: new Map() })

/** The shortest way to each situation, by the model alone. */
function waysToAll(): readonly Way[] {
  const ways = [fresh(false), fresh(true)]
  const found = new Set(ways.map(({ situation }) => situation))
  for (const { way, model, story } of ways) {
    if (isOver(model)) continue
    for (const action of ACTIONS) {
      const { next } = predict(model, action)
      const situation = situationOf(next)
      if (found.has(situation)) continue
      found.add(situation)
      const reached = copy(story)
      act(reached, action)
      ways.push({ situation, way: [...way, action], model: next, story: reached })
    }
  }
  return ways
}

describe('every situation, and every command in it', () => {
  const ways = waysToAll()
  const live = ways.filter(({ model }) => !isOver(model))
  const tried = live.filter((_, index) => index % Math.ceil(5 / runs(5)) === 0)

  it('is all there: phases, work, calls and messages', () => {
    const phases = new Set(ways.map(({ model }) => model.phase))
    const works = new Set(ways.map(({ model }) => model.work))
    const pairs = new Set(ways.map(({ model }) => model.calls.join()))
    expect([phases.size, works.size, pairs.size]).toEqual([6, 5, 37])
    expect(live.length).toBeGreaterThan(1000)
  })

  it.each(ACTIONS)('%s comes to the result in the tables', action => {
    for (const { situation, way, model, story } of tried) {
      const after = copy(story)
      const { refused, next } = predict(model, action)
      const code = act(after, action)
      const [found, wanted] = [
        { code, ...seen(after) },
        { code: refused, ...predicted(next) },
      ]
      if (JSON.stringify(found) !== JSON.stringify(wanted))
        expect({ where: `${action} in: ${situation} (${way.join(', ')})`, ...found }).toEqual(wanted)
      if (refused !== null) expect(after.turn).toBe(story.turn)
    }
  })
})

it('long walks agree with the tables at every step, and the history can be read from its head', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.array(fc.tuple(fc.constantFrom(...WALK_ACTIONS), fc.boolean()), { minLength: 40, maxLength: 150, size: 'max' }),
      (interactive, steps) => {
        let { model, story } = fresh(interactive)
        for (const [chosen, isOnward] of steps) {
          if (isOver(model)) {
            // The next visit goes on with the messages and the history of the one before.
            const { left, history } = story.turn
            story = { ...turnStory({ interactive, left, history }), objects: story.objects }
            model = { ...firstTurn(interactive), left: model.left, history: model.history }
          }
          const action = isOnward ? onward(model, chosen) : chosen
          const { refused, next } = predict(model, action)
          expect({ action, code: act(story, action), ...seen(story) }).toEqual({ action, code: refused, ...predicted(next) })
          model = next
        }
        const { stored, ...head } = historyHead(story.turn.history)
        const read = readHistory(head, digest => (digest === stored?.digest ? stored.text : (story.objects.get(digest) ?? null)))
        expect(read).toEqual(model.history.map(named))
      },
    ),
    { numRuns: runs(200) },
  )
})

/** The work that the turn calls for: without it most walks are refusals. */
function onward(model: TurnModel, chosen: string): string {
  const [work, of] = workOf(model).split(' ')
  if (work === 'prepare') return 'startStep'
  if (work === 'model') return chosen.length % 3 === 0 ? 'reply' : 'calls'
  return work === 'tool' ? `settle:${of}` : chosen
}
