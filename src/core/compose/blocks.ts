// Five blocks, one prompt: kinds choose, blocks place. Everything is a projection of the segments; nothing is trimmed, nothing is made up.
import { type Digest, digestText } from '../digest/digest.ts'
import type { PromptKind } from '../pack/compile.ts'
import { oneLine } from './foreign.ts'
import { MODE_BLOCKS, type Mode } from './mode.ts'
import {
  BLOCKS,
  type Block,
  type BlockSegment,
  fromRole,
  fromTask,
  fromTemplate,
  fromText,
  type Made,
  type MadePart,
  type MissingRole,
  type PartName,
  type PartProblem,
  type RolePart,
  refused,
  type TemplatePart,
  type TextPart,
  type UsedTemplate,
} from './parts.ts'
import { SYSTEM_BLOCK, type ToolProtocol } from './system-block.ts'
import type { TaskPayload } from './task-payload.ts'

/** Null: none is asked for. What is asked for and not there is a refusal. */
export interface PromptParts {
  readonly tools: ToolProtocol
  /** A role's text without its head, or the node's own prompt. */
  readonly role: RolePart | MissingRole | null
  readonly mode: Mode | null
  readonly task: TaskPayload | null
  /** Of every kind, as they were resolved; several of few-shot keep their order. */
  readonly templates: readonly TemplatePart[]
  /** What somebody adds at the last minute. */
  readonly override: TextPart | null
}

/** Between two blocks, and between two parts of one. */
const JOINER = '\n\n'

export interface ComposedPrompt {
  readonly full: string
  /** Empty where a block was left out. */
  readonly blocks: Readonly<Record<Block, string>>
  readonly blockHashes: Readonly<Record<Block, Digest | null>>
  /** Of `full`. */
  readonly promptHash: Digest
  readonly segments: readonly BlockSegment[]
  readonly templates: readonly UsedTemplate[]
  /** What was given and is blank. */
  readonly skipped: readonly PartName[]
}

export type Composed =
  | { readonly ok: true; readonly prompt: ComposedPrompt }
  | { readonly ok: false; readonly problems: readonly PartProblem[] }

export function composePrompt(parts: PromptParts): Composed {
  const problems: PartProblem[] = []
  const segments: BlockSegment[] = []
  const templates: UsedTemplate[] = []
  const skipped: PartName[] = []
  for (const [part, made] of inOrder(parts)) {
    if (!made.ok) problems.push(...made.problems)
    else {
      if (made.template !== null) templates.push(made.template)
      if (isBlank(made)) skipped.push(part)
      else append(segments, made)
    }
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, prompt: { ...projections(segments), segments, templates, skipped } }
}

/** The order of everything. */
function inOrder({ tools, role, mode, task, templates, override }: PromptParts): readonly (readonly [PartName, Made])[] {
  const ofKind = (block: Block, kind: PromptKind) =>
    templates.filter(template => template.kind === kind).map(template => [kind, fromTemplate(block, kind, template)] as const)
  return [
    ['contract', contract(tools)],
    ...(role === null ? [] : [['role', fromRole(role)] as const]),
    ...ofKind('role', 'system'),
    ...ofKind('role', 'few-shot'),
    ...(mode === null ? [] : [['mode', MODE_TEXTS[mode]] as const]),
    ...(task === null ? [] : [['task', fromTask(task)] as const]),
    ...ofKind('task', 'user'),
    ...ofKind('task', 'schema-hint'),
    ...(override === null ? [] : [['override', fromText('override', override)] as const]),
  ]
}

/** Step after step has the same tools: what is said of them is made once. */
const contracts = new WeakMap<ToolProtocol, Made>()

function contract(tools: ToolProtocol): Made {
  const made = contracts.get(tools) ?? makeContract(tools)
  contracts.set(tools, made)
  return made
}

function makeContract({ lineTools, nativeTools }: ToolProtocol): Made {
  const rows = lineTools.map(oneLine)
  if (!rows.every(row => row !== null)) return refused('prompt_text_invalid', 'contract', 'a tool is not plain JSON in valid Unicode')
  const bind = { sources: { context: { lineTools: rows, nativeTools } } }
  return fromTemplate('system', 'contract', { ...SYSTEM_BLOCK, kind: 'system', layer: null, bind })
}

const modeText = (mode: Mode): Made =>
  fromTemplate('mode', 'mode', { ...MODE_BLOCKS[mode], kind: 'system', layer: null, bind: { sources: {} } })

const MODE_TEXTS: Readonly<Record<Mode, Made>> = { planning: modeText('planning'), implementation: modeText('implementation') }

const isBlank = ({ segments }: MadePart): boolean => segments.every(({ text }) => text.trim() === '')

function append(segments: BlockSegment[], made: MadePart): void {
  const [before, after] = [segments.at(-1), made.segments[0]!]
  if (before !== undefined) segments.push(joiner(before.block === after.block ? after.block : null))
  for (const segment of made.segments) segments.push(segment)
}

const joiner = (block: Block | null): BlockSegment => ({
  text: JOINER,
  block,
  part: null,
  template: null,
  layer: null,
  from: null,
  at: null,
  trust: 'trusted',
  secret: null,
})

function projections(segments: readonly BlockSegment[]): Pick<ComposedPrompt, 'full' | 'blocks' | 'blockHashes' | 'promptHash'> {
  const blocks = { system: '', role: '', mode: '', task: '', override: '' }
  let full = ''
  for (const { block, text } of segments) {
    full += text
    if (block !== null) blocks[block] += text
  }
  const blockHashes = Object.fromEntries(BLOCKS.map(block => [block, blocks[block] === '' ? null : digestText(blocks[block])]))
  return { full, blocks, blockHashes: blockHashes as Record<Block, Digest | null>, promptHash: digestText(full) }
}
