// What an example sends to the model: the rendered system prompt, and the input with the schema hint as the user message.
// Few-shot templates stay out: a test must not be shown its own answer.
import { sortedJson } from '../digest/indented-json.ts'
import { compilePack } from '../pack/compile.ts'
import type { Example, Pack } from '../pack/pack.ts'
import { bindValues } from '../pack/values.ts'
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

/** Prepares a pack once; each example then costs one render. */
export function messagesFor(pack: Pack, schemas: Schemas): (example: Example) => ExampleMessages {
  const parsed = parseTemplate(pack.systemPrompt)
  // A hint has no tags, so its text is what it renders to: a test sends the very bytes that are published.
  const hint = compilePack(pack, schemas).find(template => template.kind === 'schema-hint')?.text
  return example => {
    if (!parsed.ok) return { ok: false, problems: parsed.problems.map(problem => problem.message) }
    const bound = bindValues(pack, example.variables ?? {})
    if (!bound.ok) return { ok: false, problems: bound.problems.map(problem => problem.message) }
    const rendered = renderTemplate(parsed.template, bound.values)
    if (!rendered.ok) return { ok: false, problems: rendered.problems.map(problem => problem.message) }
    const user = sortedJson(example.input)
    return {
      ok: true,
      messages: [
        { role: 'system', content: rendered.text },
        { role: 'user', content: hint === undefined ? user : `${user}\n\n${hint}` },
      ],
    }
  }
}
