// The parts of a prompt, and their conversion to block text: segments with their source, or a refusal. Does not order them.
import { type Digest, digestText } from '../digest/digest.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { Layer } from '../resolve/layers.ts'
import type { Span } from '../template/ast.ts'
import type { BindOptions, Trust } from './bind.ts'
import { framed } from './foreign.ts'
import { type Renderable, type RenderedPrompt, type RenderPromptProblem, renderPromptAs } from './render-prompt.ts'
import { type TaskProblem, type TaskText, taskText } from './task.ts'
import type { TaskPayload } from './task-payload.ts'
import { type InputRules, verbatimText } from './verbatim.ts'

export const BLOCKS = ['system', 'role', 'mode', 'task', 'override'] as const
export type Block = (typeof BLOCKS)[number]

export type PartName = 'contract' | 'role' | 'system' | 'few-shot' | 'mode' | 'task' | 'user' | 'schema-hint' | 'override'

/** A template that was resolved. Null where its ref led to nothing. */
export interface TemplatePart {
  readonly ref: string
  readonly digest: Digest
  readonly kind: PromptKind
  /** Where on the ladder it was found; null when it did not come from there. */
  readonly layer: Layer | null
  readonly template: Renderable | null
  readonly bind: BindOptions
}

/** A literal text: nothing in it is expanded. */
export interface TextPart {
  readonly text: string
  readonly trust: Trust
}

/** A role, or the node's own prompt, which has no name. */
export interface RolePart extends TextPart {
  readonly name: { readonly ref: string; readonly digest: Digest } | null
}

/** A requested role that does not exist. */
export interface MissingRole {
  readonly missing: string
}

export interface BlockSegment {
  readonly text: string
  /** Null for a separator between blocks. */
  readonly block: Block | null
  /** Null for a separator. */
  readonly part: PartName | null
  readonly template: string | null
  readonly layer: Layer | null
  /** The variable, or the field of the task. */
  readonly from: string | null
  /** Where in the template's source. */
  readonly at: Span | null
  readonly trust: Trust
  readonly secret: string | null
}

export interface UsedTemplate extends Pick<RenderedPrompt, 'text' | 'templateHash' | 'variableHashes' | 'contentTrust' | 'warnings'> {
  readonly ref: string
  readonly digest: Digest
  /** Null for a role: it is of no kind. */
  readonly kind: PromptKind | null
  readonly layer: Layer | null
  readonly block: Block
  readonly part: PartName
}

export interface PartProblem {
  readonly code:
    | RenderPromptProblem['code']
    | TaskProblem['code']
    | 'prompt_template_not_found'
    | 'prompt_text_invalid'
    | 'role_template_missing'
  readonly part: PartName
  readonly message: string
}

/** A part in its place. */
export interface MadePart {
  /** All its segments together. */
  readonly text: string
  /** The hash of its text, if it was computed before: no text is hashed twice. */
  readonly hash: Digest | null
  readonly segments: readonly BlockSegment[]
  readonly template: UsedTemplate | null
}

export type Made = ({ readonly ok: true } & MadePart) | { readonly ok: false; readonly problems: readonly PartProblem[] }

export const refused = (code: PartProblem['code'], part: PartName, message: string): Made => ({
  ok: false,
  problems: [{ code, part, message }],
})

export function fromTemplate(block: Block, part: PartName, { ref, digest, kind, layer, template, bind }: TemplatePart): Made {
  if (template === null) return refused('prompt_template_not_found', part, `there is no template ${ref}`)
  if (!template.text.isWellFormed()) return refused('prompt_text_invalid', part, `${ref} is not valid Unicode`)
  const result = renderPromptAs(
    template,
    bind,
    ({ text, from, at }, trust, secret): BlockSegment => ({ text, block, part, template: ref, layer, from, at, trust, secret }),
  )
  if (!result.ok)
    return { ok: false, problems: result.problems.map(({ code, message }) => ({ code, part, message: `${ref}: ${message}` })) }
  const { text, segments, templateHash, variableHashes, contentTrust, warnings } = result.rendered
  return {
    ok: true,
    text,
    hash: templateHash,
    segments,
    template: { ref, digest, kind, layer, block, part, text, templateHash, variableHashes, contentTrust, warnings },
  }
}

export function fromRole(role: RolePart | MissingRole): Made {
  if ('missing' in role) return refused('role_template_missing', 'role', `there is no role ${role.missing}`)
  const made = roles.get(role) ?? fromText('role', role, role.name)
  roles.set(role, made)
  return made
}

/** Caches the converted role: it is the same in every step. */
const roles = new WeakMap<RolePart, Made>()

/** A prompt that a node contains literally instead of a ref. */
export const fromInline = (part: 'user' | 'schema-hint', text: TextPart): Made => fromText('task', text, null, part)

export function fromText(
  block: 'role' | 'task' | 'override',
  { text, trust }: TextPart,
  name: RolePart['name'] = null,
  part: 'role' | 'override' | 'user' | 'schema-hint' | 'task' = block,
): Made {
  if (!text.isWellFormed()) return refused('prompt_text_invalid', part, `${name?.ref ?? `the text of ${part}`} is not valid Unicode`)
  const shown = trust === 'trusted' || text.trim() === '' ? text : framed(text)
  const hash = digestText(shown)
  const rendered = { text: shown, templateHash: hash, variableHashes: {}, contentTrust: trust, warnings: [] }
  return {
    ok: true,
    text: shown,
    hash,
    segments: [{ text: shown, block, part, template: name?.ref ?? null, layer: null, from: null, at: null, trust, secret: null }],
    template: name === null ? null : { ...name, kind: null, layer: null, block, part, ...rendered },
  }
}

export const fromTask = (task: TaskPayload): Made => taskPart(taskText(task))

export const fromInput = (task: TaskPayload, rules: InputRules): Made => taskPart(verbatimText(task, rules))

function taskPart(result: TaskText): Made {
  if (!result.ok) return { ok: false, problems: result.problems.map(problem => ({ ...problem, part: 'task' })) }
  const segments: BlockSegment[] = []
  let all = ''
  for (const { text, from, trust } of result.segments) {
    all += text
    segments.push({ text, block: 'task', part: 'task', template: null, layer: null, from, at: null, trust, secret: null })
  }
  return { ok: true, text: all, hash: null, segments, template: null }
}
