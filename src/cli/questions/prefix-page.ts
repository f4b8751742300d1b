// Formats the prefix report for a person: how much of a node's requests stays the same from step to step. Pure.
import pc from 'picocolors'
import type { Breaker, Tokens } from '../../core/prefix/summary.ts'
import type { PrefixAnswer, PrefixStep } from '../../engine/prefix/prefix.ts'
import { wrapped } from '../demo/shell-words.ts'
import { columns } from '../report/columns.ts'
import { visible } from '../report/visible.ts'
import { sizeText } from '../runs/format.ts'

type Colors = ReturnType<typeof pc.createColors>

export function prefixPage(answers: readonly PrefixAnswer[], useColor: boolean): string {
  const color = pc.createColors(useColor)
  return `${answers.map(answer => nodePage(answer, color)).join('\n')}\n${color.dim(COUNTED)}\n`
}

const COUNTED = 'Counted from the first byte on: tools, system message, prelude, history, user message.'

function nodePage({ nodeId, provider, model, steps, summary }: PrefixAnswer, color: Colors): string {
  const { share, worst, hint, lost } = summary
  const anew = lost.tokens === 0 ? '' : `, ${tokenText(lost)} sent again`
  const kept = share === null ? 'nothing to compare' : `${percent(share)} of what was sent before was kept${anew}`
  const rows = columns(steps.map(step => ['  ', `visit ${step.visit}, step ${step.step}`, sizeText(step.bytes), stepText(step)])).split(
    '\n',
  )
  return `${[
    `▸ ${color.bold(visible(`node:${nodeId}`))}  ${color.dim(visible(`${provider} ${model}`))}  ${visible(kept)}`,
    ...steps.flatMap(({ broken = null }, index) => [
      rows[index]!,
      ...(broken === null ? [] : [color.yellow(visible(`      broken by ${breakerText(broken)}`))]),
    ]),
    ...cacheable(steps.at(-1)),
    ...(worst === null || worst.times === 1
      ? []
      : [visible(`   most by ${breakerText(worst)}: ${worst.times} times, ${sizeText(worst.bytes)}`)]),
    ...(hint === null ? [] : [color.cyan(`   → ${wrapped(visible(hint).split(' '), WIDTH, '\n     ')}`)]),
  ].join('\n')}\n`
}

const WIDTH = 94

/** The part of the last request that a provider could have cached from the one before. */
function cacheable(last: PrefixStep | undefined): readonly string[] {
  if (last?.kept === undefined || last.bytes === 0) return []
  return [
    `   ${sizeText(last.kept)} of ${sizeText(last.bytes)} of the last request had been sent before (${percent(last.kept / last.bytes)})`,
  ]
}

/** Never rounded up to 100. */
const percent = (share: number): string => `${Math.floor(share * 100)} %`
const tokenText = ({ tokens, estimated }: Tokens): string =>
  `${estimated ? 'about ' : ''}${tokens} tokens${estimated ? ' (estimated)' : ''}`

function stepText({ previous, kept, broken, lost, resumed, cachedTokens }: PrefixStep): string {
  const cached = cachedTokens === null ? '' : `; ${cachedTokens} tokens from the provider’s cache`
  if (resumed) return `its provider held the rest${cached}`
  if (previous === undefined || kept === undefined) return `the first${cached}`
  if (broken === null || broken === undefined) return `all ${sizeText(previous)} kept${cached}`
  return `${sizeText(kept)} of ${sizeText(previous)} kept, ${tokenText(lost!)} sent again${cached}`
}

function breakerText({ part, name, block, template, layer, variable }: Breaker): string {
  if (part === 'tools') return `tool ${name}`
  if (part === 'prelude') return `prelude ${name ?? 'of the run'}`
  if (part !== 'system') return `a message of the ${part}`
  if (block === 'mode') return 'the mode'
  const text = `${template ?? 'the node’s own prompt'}${layer === null ? '' : ` (${layer})`}`
  return variable === null ? text : `{{${variable}}} in ${text}`
}
