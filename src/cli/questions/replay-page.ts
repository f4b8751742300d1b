// Formats a replay for a person: every prompt in a line, then the first divergence in full and the others in a line each. Pure.
import pc from 'picocolors'
import type { Json } from '../../core/digest/digest.ts'
import type { Divergence, Point, Rotation } from '../../core/replay/divergence.ts'
import { BELIEVED_ALWAYS, BELIEVED_CONDITIONS } from '../../engine/replay/believed.ts'
import type { ReplayedPrompt } from '../../engine/replay/decisions.ts'
import type { Replayed } from '../../engine/replay/replay.ts'
import { clip, visible } from '../report/visible.ts'
import { shortHash } from '../runs/format.ts'

type Colors = ReturnType<typeof pc.createColors>

export function promptLine({ nodeId, visit, step, recorded, found, block }: ReplayedPrompt, useColor: boolean): string {
  const color = pc.createColors(useColor)
  const which = visible(`${nodeId}  visit ${visit}, step ${step}`)
  const was = visible(shortHash(recorded))
  if (found === recorded) return `${color.green('=')} ${which}  ${color.dim(was)}`
  const other = found === null ? 'cannot be composed' : `comes out as ${shortHash(found)}, first in block ${block}`
  return `${color.red('≠')} ${which}  ${was} ${visible(other)}`
}

export function replayPage(replayed: Replayed, useColor: boolean): string {
  const color = pc.createColors(useColor)
  const lines = [...(replayed.prompts === 0 ? [] : ['']), ...countLines(replayed, color), ...outcomeLines(replayed, color)]
  return `${lines.join('\n')}\n`
}

interface Outcome {
  readonly level: number
  readonly divergences: readonly Divergence[]
  readonly left: number
  readonly rotations: readonly Rotation[]
}

export function outcomeLines({ level, divergences, left, rotations }: Outcome, color: Colors): readonly string[] {
  const [first, ...others] = divergences
  return [
    ...rotations.map(rotation => color.yellow(rotationLine(rotation))),
    ...(first === undefined
      ? [color.green(level === 1 ? 'Identical: every event follows from the one before.' : 'Identical.')]
      : ['', color.red(color.bold('The first divergence')), ...divergenceLines(first)]),
    ...(others.length === 0 ? [] : ['', `${others.length + left} more`, ...others.map(one => `  ${placeText(one)}`)]),
    ...(left === 0 ? [] : [color.dim(`  and ${left} that are not listed`)]),
  ]
}

function countLines({ events, phase, stateHash, level, prompts, verdicts, believed }: Replayed, color: Colors): readonly string[] {
  const folded = visible(`${events} events fold to a run that is ${phase}`)
  if (level === 1) return [folded, `state ${stateHash}`]
  const lines = believed.flatMap(one => {
    const why = BELIEVED_CONDITIONS[one]
    return why === undefined ? [] : [color.dim(`  ${one} is taken from the record: ${why}`)]
  })
  return [
    folded,
    `state ${stateHash}`,
    `${counted(prompts, 'prompt')} composed and ${counted(verdicts, 'call')} judged again, without a model`,
    color.dim(`  taken from the record: ${Object.values(BELIEVED_ALWAYS).join('; ')}`),
    ...lines,
  ]
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

const rotationLine = ({ kind, expected, found }: Rotation): string =>
  visible(
    `The host’s default for ${kind} was ${valueText(expected)} and is ${valueText(found)} now: a rotation, which does not reach this run.`,
  )

/** Labels for points that are checked rather than computed again. */
const FOUND: Partial<Record<Point, string>> = { event: 'its bytes ', object: 'its bytes ' }

const divergenceLines = (divergence: Divergence): readonly string[] => [
  `  ${placeText(divergence)}`,
  `  recorded    ${shownIn(divergence, divergence.expected)}`,
  foundLine(divergence),
]

function foundLine(divergence: Divergence): string {
  const { point, field, found } = divergence
  if (field === 'event_malformed') return '  the event   does not say what one of its type says, or names what does not; it is passed over'
  if (point === 'object' && found === null) return '  the object  is not there any more; nothing is put in its place'
  return `  ${FOUND[point] ?? 'repeated  '}  ${shownIn(divergence, found)}`
}

/** `event 12, writer, step 1: prompt.composed, block task, prompt:writer@1.0.0 (node), variable topic, bytes 4 to 9`: from the widest to the narrowest. */
function placeText({ sequence, point, stream, nodeId, step, kind, layer, block, template, variable, field, span }: Divergence): string {
  const where = [`event ${sequence}${stream === undefined ? '' : ` of ${stream}`}`, nodeId, step === undefined ? undefined : `step ${step}`]
  const from = template === undefined ? (layer ?? kind) : `${template}${layer === undefined ? '' : ` (${layer})`}`
  const what = [
    point,
    field,
    template === undefined && layer !== undefined ? kind : undefined,
    from,
    block === undefined ? undefined : `block ${block}`,
    variable === undefined ? undefined : `variable ${variable}`,
    span === undefined ? undefined : `bytes ${span.start} to ${span.end}`,
  ]
  const listed = (parts: readonly (string | undefined)[]) => parts.filter(part => part !== undefined).join(', ')
  return visible(`${listed(where)}: ${listed(what)}`)
}

/** Text of a prompt is quoted. */
const shownIn = ({ span }: Divergence, value: Json): string => valueText(span === undefined ? value : JSON.stringify(value))

const valueText = (value: Json): string =>
  value === null ? 'nothing' : visible(clip(typeof value === 'string' ? value : JSON.stringify(value), 300))
