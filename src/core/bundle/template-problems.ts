// Finds problems of templates as parts of one bundle. Each message names its template.
import { templateProblems } from '../library/check.ts'
import type { LibraryTemplate, TemplateVariable } from '../library/template.ts'
import { pinnedText } from '../resolve/prompt-ref.ts'
import { parseTemplate } from '../template/parse.ts'
import { findUses } from '../template/uses.ts'

/** The names that a bundled template may use without declaring them. */
export const CONTEXT_KEYS = ['currentUserId', 'runId', 'workflowId', 'workflowName', 'tenantId', 'nodeId', 'now']

export function bundledTemplateProblems(templates: readonly LibraryTemplate[], maxBytes: number): readonly string[] {
  const seen = new Set<string>()
  return templates.flatMap(template => {
    const ref = pinnedText(template.templateId, template.version)
    const twice = seen.has(ref)
    seen.add(ref)
    const unknown = undeclared(template).filter(name => !CONTEXT_KEYS.includes(name))
    return [
      ...(twice ? [`${ref} is in it twice`] : []),
      ...templateProblems(template, maxBytes).map(problem => `${ref}: ${problem}`),
      ...unknown.map(name => `${ref} uses {{${name}}} and does not declare it`),
    ]
  })
}

/** With the context keys it uses declared as such: rendering binds nothing else. */
export function withContextDeclared(template: LibraryTemplate): LibraryTemplate {
  const used = undeclared(template).filter(name => CONTEXT_KEYS.includes(name))
  if (used.length === 0) return template
  const added = used.map((name): TemplateVariable => ({ name, type: 'string', required: false, source: 'context' }))
  return { ...template, variables: [...(template.variables ?? []), ...added] }
}

/** In order of name. A text that cannot be parsed uses nothing. */
function undeclared({ text, variables = [] }: LibraryTemplate): readonly string[] {
  const parsed = parseTemplate(text)
  const declared = new Set(variables.map(({ name }) => name))
  const used = parsed.ok ? findUses(parsed.template).uses.flatMap(({ variable }) => (variable ? [variable] : [])) : []
  return [...new Set(used)].filter(name => !declared.has(name)).toSorted()
}
