// Checks whether a template can be published: it parses, is not too large, and its variables have distinct names.
import semver from 'semver'
import { parseTemplate } from '../template/parse.ts'
import type { LibraryTemplate } from './template.ts'

/**
 * A dotted path, with or without the `$` of a JSONPath; list items by number. Other JSONPath syntax is refused, since it
 * would match nothing.
 */
const EXTRACT_PATH = /^(?:\$|[^.[\]$*?()'"\s]+)(?:\.[^.[\]$*?()'"\s]+|\[\d+\])*$/

/** The problems of a template; empty when it is valid. */
export function templateProblems(template: LibraryTemplate, maxBytes: number): readonly string[] {
  const bytes = new TextEncoder().encode(template.text).length
  const variables = template.variables ?? []
  const names = variables.map(({ name }) => name)
  const strange = variables.find(({ extractPath }) => extractPath !== undefined && !EXTRACT_PATH.test(extractPath))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  const parsed = parseTemplate(template.text)
  return [
    ...(semver.valid(template.version) === null ? [`version "${template.version}" is not one of SemVer 2.0.0`] : []),
    ...(bytes > maxBytes ? [`text has ${bytes} bytes and may have ${maxBytes}`] : []),
    ...(twice === undefined ? [] : [`variable "${twice}" is declared twice`]),
    ...(strange === undefined
      ? []
      : [`extractPath of "${strange.name}" must be names and numbers such as user.tags[0], not ${JSON.stringify(strange.extractPath)}`]),
    ...(parsed.ok ? [] : parsed.problems.map(({ message }) => `text: ${message}`)),
  ]
}
