// Folder: The messages of an example, its reply, and the comparison. It calls no model.
// Composes the messages of an example: the same composition as a verbatim run of one node that uses the pack's system
// prompt and schema hint.
// Few-shot templates stay out: a test must not be shown its own answer.
import { composePrompt } from '../compose/blocks.ts'
import { promptMessages } from '../compose/delta.ts'
import type { TemplatePart } from '../compose/parts.ts'
import type { TaskPayload } from '../compose/task-payload.ts'
import { sortedJson } from '../digest/indented-json.ts'
import { isObject } from '../digest/is-object.ts'
import { templatesOfPack } from '../library/from-pack.ts'
import { type LibraryTemplate, templateDigest } from '../library/template.ts'
import { type ChatMessage, observable } from '../messages/message.ts'
import type { Example, Pack } from '../pack/pack.ts'
import { bindValues } from '../pack/values.ts'
import { pinnedText } from '../resolve/prompt-ref.ts'
import type { Schemas } from '../schema/schemas.ts'
import { parseTemplate } from '../template/parse.ts'
import { renderTemplate } from '../template/render.ts'

export interface Message {
  readonly role: 'system' | 'user'
  readonly content: string
}

export type ExampleMessages =
  | { readonly ok: true; readonly messages: readonly Message[] }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Prepares a pack once; each example then costs one composition. */
export function messagesFor(pack: Pack, schemas: Schemas): (example: Example) => ExampleMessages {
  const templates = templatesOfPack(pack, schemas)
    .filter(({ kind }) => kind === 'system' || kind === 'schema-hint')
    .map(partOf)
  const parsed = parseTemplate(pack.systemPrompt)
  return example => {
    if (!parsed.ok) return { ok: false, problems: parsed.problems.map(problem => problem.message) }
    const bound = bindValues(pack, example.variables ?? {})
    if (!bound.ok) return { ok: false, problems: bound.problems.map(problem => problem.message) }
    // A run renders an undeclared variable as empty text; a test of the pack reports it.
    const strict = renderTemplate(parsed.template, bound.values)
    if (!strict.ok) return { ok: false, problems: strict.problems.map(problem => problem.message) }
    const bind = { sources: { input: bound.values } }
    const composed = composePrompt({
      style: 'verbatim',
      tools: { lineTools: [], nativeTools: true },
      role: null,
      mode: null,
      task: taskOf(example),
      templates: templates.map(template => ({ ...template, bind })),
      input: { bound: [], trust: {}, json: true, replaced: false },
      override: null,
    })
    if (!composed.ok) return { ok: false, problems: composed.problems.map(({ message }) => message) }
    const { system, user } = promptMessages(composed.prompt)
    return { ok: true, messages: [...messageOf('system', system), ...messageOf('user', user)] }
  }
}

const partOf = (template: LibraryTemplate): Omit<TemplatePart, 'bind'> => ({
  ref: pinnedText(template.templateId, template.version),
  digest: templateDigest(template),
  kind: template.kind,
  layer: null,
  template,
})

const SETTINGS = {
  edgeManagement: 'none',
  writeCode: false,
  writeDocs: false,
  runCommands: false,
  delegateOnly: false,
  gated: false,
} as const

/** An input that is not an object has no names: the task is its JSON alone. */
const taskOf = ({ input }: Example): TaskPayload => ({
  runId: '',
  nodeId: '',
  orchestration: 'auto',
  ...(isObject(input) ? { inputs: input } : { objective: sortedJson(input) }),
  handoffs: [],
  settings: SETTINGS,
  nodes: [],
  edges: [],
})

function messageOf(role: Message['role'], message: ChatMessage | null): readonly Message[] {
  if (message === null) return []
  const { content } = observable(message) as unknown as { readonly content: readonly { readonly text?: string }[] }
  return [{ role, content: content.map(({ text = '' }) => text).join('') }]
}
