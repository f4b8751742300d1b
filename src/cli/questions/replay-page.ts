// What a replay found, for a person: every prompt in a line, then the first divergence in full and the others in a line each. Pure.
import pc from 'picocolors'
import type { Json } from '../../core/digest/digest.ts'
import type { Divergence, Point, Rotation } from '../../core/replay/divergence.ts'
import type { ReplayedPrompt } from '../../engine/replay/decisions.ts'
import { BELIEVED } from '../../engine/replay/remake-verdict.ts'
import type { Replayed } from '../../engine/replay/replay.ts'
import { clip, visible } from '../report/visible.ts'
import { shortHash } from '../runs/words.ts'

type Colors = ReturnType<typeof pc.createColors>

export function promptLine({ nodeId, visit, step, recorded, found, block }: ReplayedPrompt, useColor: boolean): string {
  const color = pc.createColors(useColor)
  const which = `${visible(nodeId)}  visit ${visit}, step ${step}`
  if (found === recorded) return `${color.green('=')} ${which}  ${color.dim(shortHash(recorded))}`
  const other = found === null ? 'cannot be composed' : `comes out as ${shortHash(found)}, first in block ${block}`
  return `${color.red('≠')} ${which}  ${shortHash(recorded)} ${other}`
}

export function replayPage(replayed: Replayed, useColor: boolean): string {
  const color = pc.createColors(useColor)
  const { divergences, left, rotations } = replayed
  const [first, ...others] = divergences
  const lines = [
    ...(replayed.prompts === 0 ? [] : ['']),
    ...countLines(replayed, color),
    ...rotations.map(rotation => color.yellow(rotationLine(rotation))),
    ...(first === undefined
      ? [color.green(replayed.level === 1 ? 'Identical: every event follows from the one before.' : 'Identical.')]
      : ['', color.red(color.bold('The first divergence')), ...divergenceLines(first)]),
    ...(others.length === 0 ? [] : ['', `${others.length + left} more`, ...others.map(one => `  ${placeText(one)}`)]),
    ...(left === 0 ? [] : [color.dim(`  and ${left} that are not listed`)]),
  ]
  return `${lines.join('\n')}\n`
}

function countLines({ events, sessions, phase, stateHash, level, prompts, verdicts }: Replayed, color: Colors): readonly string[] {
  const folded = `${events} events of the run and of ${counted(sessions, 'session')} fold to a run that is ${phase}`
  if (level === 1) return [folded, `state ${stateHash}`]
  const believed = Object.entries(BELIEVED).map(([condition, why]) => color.dim(`  ${condition} is taken from the record: ${why}`))
  return [
    folded,
    `state ${stateHash}`,
    `${counted(prompts, 'prompt')} composed and ${counted(verdicts, 'call')} judged again, without a model`,
    ...(verdicts === 0 ? [] : believed),
  ]
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

const rotationLine = ({ kind, expected, found }: Rotation): string =>
  `The host’s default for ${kind} was ${valueText(expected)} and is ${valueText(found)} now: a rotation, which does not reach this run.`

/** Of what is not made again, but looked at. */
const FOUND: Partial<Record<Point, string>> = { event: 'its bytes ', object: 'its bytes ', told: 'in session' }

const divergenceLines = (divergence: Divergence): readonly string[] => [
  `  ${placeText(divergence)}`,
  `  on record   ${shownIn(divergence, divergence.expected)}`,
  divergence.point === 'object' && divergence.found === null
    ? '  the object  is not there any more; nothing is put in its place'
    : `  ${FOUND[divergence.point] ?? 'made again'}  ${shownIn(divergence, divergence.found)}`,
]

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

/** Words of a text stand in quotes. */
const shownIn = ({ span }: Divergence, value: Json): string => valueText(span === undefined ? value : JSON.stringify(value))

const valueText = (value: Json): string =>
  value === null ? 'nothing' : visible(clip(typeof value === 'string' ? value : JSON.stringify(value), 300))
