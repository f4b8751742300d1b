// Shows one prompt as it was sent: five blocks, each with the sources of its parts. As data, and for a person.
import pc from 'picocolors'
import { type OwnShare, ownShare } from '../../core/compose/own-share.ts'
import type { BlockSegment } from '../../core/compose/parts.ts'
import { BLOCKS } from '../../core/compose/parts.ts'
import type { Digest, Json } from '../../core/digest/digest.ts'
import { readSegments } from '../../core/run/reading/stored-segments.ts'
import { problemText } from '../../core/tools/asked-calls.ts'
import { Fault } from '../../errors.ts'
import { clip, visible, visibleLines } from '../report/visible.ts'
import type { Bodies } from './bodies.ts'
import { changeText } from './changes-page.ts'
import { shortHash, sizeText } from './format.ts'
import { messageLines, type SentMessage, sentMessages } from './sent-messages.ts'
import type { ToldStep } from './story.ts'

/** The contribution of one template, or of one part of the host, to a block. */
export interface PromptPart {
  readonly part: string
  readonly template: string | null
  readonly layer: string | null
  readonly text: string
  /** Variables and fields of the task, with their trust. */
  readonly values: readonly { readonly from: string; readonly trust: string }[]
}

/** A tool call of the answer. `problem`: why a line that looks like a call was not run. */
export interface PageCall {
  readonly tool: string
  readonly arguments: Json
  readonly problem: string | null
}

export interface PromptPage extends Omit<ToldStep, 'blocks'> {
  readonly blocks: readonly {
    readonly block: string
    readonly digest: Digest
    readonly text: string
    readonly parts: readonly PromptPart[]
  }[]
  /** How much of the blocks Onbook wrote itself. */
  readonly own: OwnShare
  /** The prelude and the history, which were sent with the blocks. */
  readonly messages: readonly SentMessage[]
  /** The text that went to the provider, when that was only a part. */
  readonly delta: string | null
  readonly answer: string | null
  readonly asked: readonly PageCall[]
}

export async function promptPage(step: ToldStep, bodies: Bodies): Promise<PromptPage> {
  const [stored, full] = await Promise.all([bodies.text(step.segments), bodies.text(step.promptHash)])
  if (stored === null || full === null) throw new Fault('object_missing', { digest: stored === null ? step.segments : step.promptHash })
  const segments = readSegments(stored, full)
  const blocks: PromptPage['blocks'][number][] = []
  for (const block of BLOCKS) {
    const digest = step.blocks[block]
    if (digest === undefined) continue
    const text = (await bodies.text(digest)) ?? ''
    blocks.push({ block, digest, text, parts: partsOf(segments.filter(one => one.block === block)) })
  }
  return {
    ...step,
    blocks,
    own: ownShare(segments),
    messages: await sentMessages(step.request, bodies),
    delta: step.sent.kind === 'delta' ? (step.sent.text === null ? '' : await bodies.text(step.sent.text)) : null,
    ...(await answerOf(step, bodies)),
  }
}

async function answerOf({ reply, calls, tools }: ToldStep, bodies: Bodies): Promise<Pick<PromptPage, 'answer' | 'asked'>> {
  const found = reply === null ? null : await bodies.asked(reply, { tools, ...(calls === 'native' ? {} : { calls }) })
  const asked = found?.calls ?? []
  return {
    answer: found?.text ?? null,
    asked: asked.map(one => ({
      tool: one.toolName,
      arguments: one.arguments,
      problem: one.problem === null ? null : problemText(one.problem),
    })),
  }
}

/** Adjacent segments of the same source are one part. Joiners between parts are left out: the block's text has them. */
function partsOf(segments: readonly BlockSegment[]): readonly PromptPart[] {
  const parts: PromptPart[] = []
  let open: BlockSegment | null = null
  for (const segment of segments) {
    const { part, template, layer, text, from, trust } = segment
    const isJoiner: boolean = part === null
    const goesOn: boolean = open !== null && !isJoiner && open.part === part && open.template === template
    open = isJoiner ? null : segment
    if (part === null) continue
    if (!goesOn) parts.push({ part, template, layer, text: '', values: [] })
    const last: PromptPart = parts.pop()!
    const isNew: boolean = from !== null && !last.values.some(value => value.from === from && value.trust === trust)
    parts.push({ ...last, text: last.text + text, values: isNew ? [...last.values, { from: from!, trust }] : last.values })
  }
  return parts
}

export function promptText(page: PromptPage, useColor: boolean): string {
  const color = pc.createColors(useColor)
  const { nodeId, step, visit, promptHash, requestHash, mode, provider, model, sent, blocks, answer, failure } = page
  const lines = [
    visible(`step ${step} of ${nodeId}, visit ${visit}, mode ${mode}: ${provider} ${model}`),
    visible(`prompt ${promptHash}`),
    visible(`requestHash ${requestHash}`),
    visible(
      sent.kind === 'full'
        ? `sent in full (${sent.reason})`
        : `only what is new was sent (${sent.reason}): ${sizeText(Buffer.byteLength(page.delta ?? ''))}`,
    ),
    ownText(page.own),
    ...blocks.flatMap(({ block, digest, text, parts }) => [
      '',
      color.bold(visible(`── ${block}, ${sizeText(Buffer.byteLength(text))}, ${shortHash(digest)}`)),
      ...parts.flatMap(part => [color.cyan(visible(`   from ${sourceOf(part)}`)), ...visibleLines(part.text)]),
    ]),
    ...alsoSent(page, color.bold),
    '',
    color.bold('── answer'),
    ...(answer !== null ? visibleLines(answer) : [failure === null ? '(none yet)' : visible(`(${failure.code}: ${failure.detail})`)]),
    ...page.asked.map(one => color.cyan(visible(`   calls ${callText(one)}`))),
    ...page.changes.map(change => color.cyan(visible(`   ${changeText(change)}`))),
  ]
  return `${lines.join('\n')}\n`
}

export const ownText = ({ bytes, estimatedTokens, ofBytes }: OwnShare): string =>
  bytes === 0
    ? `${ofBytes.toLocaleString('en-US')} bytes, none of them Onbook's own`
    : `Onbook's own text: ${bytes.toLocaleString('en-US')} of ${ofBytes.toLocaleString('en-US')} bytes, about ${estimatedTokens.toLocaleString('en-US')} tokens (an estimate: 4 bytes each)`

/** A provider that keeps the conversation already has the first messages. */
function alsoSent({ messages, sent }: PromptPage, bold: (text: string) => string): readonly string[] {
  if (messages.length === 0) return []
  const held = sent.held === 0 ? '' : `; ${sent.held} of the history its provider had already`
  return ['', bold(visible(`── also sent: the history, ${messages.length} messages${held}`)), ...messageLines(messages)]
}

const callText = ({ tool, arguments: given, problem }: PageCall): string =>
  problem === null ? `${tool} ${clip(JSON.stringify(given), 200)}` : `${tool}, and cannot: ${problem}`

function sourceOf({ part, template, layer, values }: PromptPart): string {
  const where = template === null ? part : `${part}: ${template}${layer === null ? '' : ` (${layer})`}`
  const foreign = namesOf(values.filter(({ trust }) => trust === 'untrusted'))
  const own = namesOf(values.filter(({ trust }) => trust !== 'untrusted'))
  return `${where}${own === '' ? '' : `; with ${own}`}${foreign === '' ? '' : `; untrusted: ${foreign}`}`
}

/** The names of values; for a list or an object, only its own name. */
const namesOf = (values: PromptPart['values']): string =>
  [...new Set(values.map(({ from }) => from.split('.')[0]!).filter(name => !name.startsWith('@')))].join(', ')
