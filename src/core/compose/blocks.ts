// Folder: Binds values to variables, renders one template with secrets redacted and untrusted input fenced, and lays five blocks out as a prompt. It never expands a value.
// Composes five blocks into one prompt. The prompt consists of its segments alone; nothing is trimmed or invented.
import { type Digest, digestText } from '../digest/digest.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { ComposeStyle } from './compose-style.ts'
import { oneLine } from './foreign.ts'
import type { Mode } from './mode.ts'
import {
  type Block,
  type BlockSegment,
  fromInline,
  fromInput,
  fromRole,
  fromTask,
  fromTemplate,
  fromText,
  type Made,
  type MissingRole,
  type PartName,
  type PartProblem,
  type RolePart,
  refused,
  type TemplatePart,
  type TextPart,
  type UsedTemplate,
} from './parts.ts'
import type { ShippedTemplate } from './shipped.ts'
import { SHIPPED_BLOCKS, type ShippedBlocks } from './shipped-blocks.ts'
import type { ToolProtocol } from './system-block.ts'
import type { TaskPayload } from './task-payload.ts'
import type { InputRules } from './verbatim.ts'

/** Null: the part is not requested. A part that is requested and missing is a refusal. */
export interface PromptParts {
  /** Default: the blocks of this release. */
  readonly shipped?: ShippedBlocks
  /** Default graph. A verbatim prompt has neither contract nor mode, and its task is the input as it was written. */
  readonly style?: ComposeStyle
  /** How the input of a verbatim prompt becomes text. */
  readonly input?: InputRules
  readonly tools: ToolProtocol
  /** A role's text without its head, or the node's own prompt. */
  readonly role: RolePart | MissingRole | null
  readonly mode: Mode | null
  readonly task: TaskPayload | null
  /** The resolved templates of every kind; several few-shot templates keep their order. */
  readonly templates: readonly TemplatePart[]
  /** The node's own user message and schema hint, where no ref beside them supersedes them. */
  readonly inline?: { readonly user: TextPart | null; readonly 'schema-hint': TextPart | null }
  /** Text that the caller adds at the last minute. */
  readonly override: TextPart | null
}

/** Between two blocks, and between two parts of one. */
const JOINER = '\n\n'

export interface ComposedPrompt {
  readonly full: string
  /** Empty where a block was left out. */
  readonly blocks: Readonly<Record<Block, string>>
  readonly blockHashes: Readonly<Record<Block, Digest | null>>
  /** The hash of `full`. */
  readonly promptHash: Digest
  readonly segments: readonly BlockSegment[]
  readonly templates: readonly UsedTemplate[]
  /** Parts that are present but blank. */
  readonly skipped: readonly PartName[]
}

export type Composed =
  | { readonly ok: true; readonly prompt: ComposedPrompt }
  | { readonly ok: false; readonly problems: readonly PartProblem[] }

const NO_INLINE: NonNullable<PromptParts['inline']> = { user: null, 'schema-hint': null }

/** The order of everything. */
export function composePrompt(parts: PromptParts): Composed {
  const { style = 'graph', input = PLAIN_INPUT, shipped = SHIPPED_BLOCKS, tools, role, mode, task, templates, inline = NO_INLINE } = parts
  const { override } = parts
  const isVerbatim = style === 'verbatim'
  const draft = emptyDraft()
  const placeKind = (block: Block, kind: PromptKind): void => {
    for (const template of templates) if (template.kind === kind) place(draft, block, kind, fromTemplate(block, kind, template))
  }
  if (!isVerbatim) place(draft, 'system', 'contract', contract(shipped.system, tools, hasGraph(task)))
  else if (tools.lineTools.length > 0) place(draft, 'system', 'contract', contract(shipped.calls, tools, false))
  if (role !== null) place(draft, 'role', 'role', fromRole(role))
  placeKind('role', 'system')
  placeKind('role', 'few-shot')
  if (mode !== null && !isVerbatim) place(draft, 'mode', 'mode', modeText(shipped.modes[mode]))
  if (task !== null) place(draft, 'task', 'task', isVerbatim ? fromInput(task, input) : fromTask(task))
  for (const kind of ['user', 'schema-hint'] as const) {
    const own = inline[kind]
    if (own !== null) place(draft, 'task', kind, fromInline(kind, own))
    placeKind('task', kind)
  }
  if (override !== null) place(draft, 'override', 'override', fromText('override', override))
  return draft.problems.length > 0 ? { ok: false, problems: draft.problems } : { ok: true, prompt: finished(draft) }
}

const PLAIN_INPUT: InputRules = { bound: [], trust: {}, json: false, replaced: false }

/** Whether there is anything of a graph to work in. A prompt without a task is not known to have none. */
function hasGraph(task: TaskPayload | null): boolean {
  if (task === null) return true
  const { nodes, edges, handoffs, settings } = task
  return nodes.length > 1 || edges.length + handoffs.length > 0 || settings.edgeManagement !== 'none'
}

/** Caches the text about tools: consecutive steps have the same tools. */
const contracts = new WeakMap<ToolProtocol, { readonly template: ShippedTemplate; readonly graph: boolean; readonly made: Made }>()

function contract(template: ShippedTemplate, tools: ToolProtocol, graph: boolean): Made {
  const cached = contracts.get(tools)
  if (cached?.template === template && cached.graph === graph) return cached.made
  const made = makeContract(template, tools, graph)
  contracts.set(tools, { template, graph, made })
  return made
}

function makeContract(template: ShippedTemplate, protocol: ToolProtocol, graph: boolean): Made {
  const { lineTools, nativeTools, hasTools = true, hasRepoTools = true } = protocol
  const rows = lineTools.map(oneLine)
  if (!rows.every(row => row !== null)) return refused('prompt_text_invalid', 'contract', 'a tool is not plain JSON in valid Unicode')
  const spawnNode = lineTools.some(({ name }) => name === 'spawn_node')
  const bind = { sources: { context: { lineTools: rows, nativeTools, spawnNode, graph, modes: hasRepoTools, tools: hasTools } } }
  return fromTemplate('system', 'contract', { ...template, kind: 'system', layer: null, bind })
}

const modeTexts = new WeakMap<ShippedTemplate, Made>()

function modeText(template: ShippedTemplate): Made {
  const made = modeTexts.get(template) ?? fromTemplate('mode', 'mode', { ...template, kind: 'system', layer: null, bind: { sources: {} } })
  modeTexts.set(template, made)
  return made
}

/** A prompt while it is put together. */
interface Draft {
  full: string
  readonly blocks: Record<Block, string>
  /** The hash of a block that consists of one part so far, if that part has a hash. */
  readonly hashes: Record<Block, Digest | null>
  /** Where the last part went that is not blank. */
  last: Block | null
  readonly segments: BlockSegment[]
  readonly templates: UsedTemplate[]
  readonly skipped: PartName[]
  readonly problems: PartProblem[]
}

const emptyDraft = (): Draft => ({
  full: '',
  blocks: { system: '', role: '', mode: '', task: '', override: '' },
  hashes: { system: null, role: null, mode: null, task: null, override: null },
  last: null,
  segments: [],
  templates: [],
  skipped: [],
  problems: [],
})

function place(draft: Draft, block: Block, part: PartName, made: Made): void {
  if (!made.ok) return void draft.problems.push(...made.problems)
  if (made.template !== null) draft.templates.push(made.template)
  if (made.text.trim() === '') return void draft.skipped.push(part)
  const { blocks, hashes, segments, last } = draft
  if (last !== null) segments.push(joiner(last === block ? block : null))
  for (const segment of made.segments) segments.push(segment)
  draft.full += last === null ? made.text : JOINER + made.text
  hashes[block] = last === block ? null : made.hash
  blocks[block] += last === block ? JOINER + made.text : made.text
  draft.last = block
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

function finished({ full, blocks, hashes, segments, templates, skipped }: Draft): ComposedPrompt {
  const hashOf = (block: Block): Digest | null => (blocks[block] === '' ? null : (hashes[block] ?? digestText(blocks[block])))
  const blockHashes = {
    system: hashOf('system'),
    role: hashOf('role'),
    mode: hashOf('mode'),
    task: hashOf('task'),
    override: hashOf('override'),
  }
  return { full, blocks, blockHashes, promptHash: digestText(full), segments, templates, skipped }
}
