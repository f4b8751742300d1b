// Converts a pack to templates of the library.
import type { Json } from '../digest/digest.ts'
import { compilePack, type Template } from '../pack/compile.ts'
import type { Pack, Variable } from '../pack/pack.ts'
import type { Schemas } from '../schema/schemas.ts'
import type { LibraryTemplate, TemplateVariable } from './template.ts'

export const templatesOfPack = (pack: Pack, schemas: Schemas): readonly LibraryTemplate[] =>
  compilePack(pack, schemas).map(template => toLibraryTemplate(pack, template))

function toLibraryTemplate(pack: Pack, { id, version, kind, text, variables }: Template): LibraryTemplate {
  const { name, description, author } = pack.meta ?? {}
  return {
    templateId: id,
    version,
    kind,
    text,
    ...(name === undefined ? {} : { name: name.slice(0, 200) }),
    ...(description === undefined ? {} : { description: description.slice(0, 2000) }),
    variables: [...variables.map(toVariable), ...(kind === 'system' ? builtIns(pack) : [])],
    ...(author === undefined ? {} : { meta: { author } }),
  }
}

function toVariable({ name, type, required = false, default: defaultValue, description }: Variable): TemplateVariable {
  const hasDefault = defaultValue !== undefined && defaultValue !== null
  return {
    name,
    type,
    // A variable with a default counts as satisfied; in the library a required variable has no default.
    required: required && !hasDefault,
    ...(hasDefault ? { defaultValue } : {}),
    ...(description === undefined ? {} : { description: description.slice(0, 500) }),
  }
}

/** The variables that a pack's text may use without declaring them. */
function builtIns({ constraints = [], refusalRules = [], variables = [] }: Pack): readonly TemplateVariable[] {
  const list = (name: string, values: readonly string[]): TemplateVariable => ({
    name,
    type: 'array',
    required: false,
    defaultValue: values as Json,
  })
  const declared = new Set(variables.map(({ name }) => name))
  return [list('constraints', constraints), list('refusalRules', refusalRules)].filter(({ name }) => !declared.has(name))
}
