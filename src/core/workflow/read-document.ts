// Parses the text of a workflow or an agent to JSON: YAML, or JSON by its file name. Does not interpret it.
import type { Json } from '../digest/digest.ts'
import { type FileProblem, readJsonContent } from '../pack/file-content.ts'
import { positionOf } from '../pack/place.ts'
import { readYaml } from '../pack/yaml.ts'

export type ReadDocument = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problems: readonly FileProblem[] }

export function readDocument(path: string, text: string): ReadDocument {
  if (path.endsWith('.json')) return readJsonContent(new TextEncoder().encode(text))
  const { value, problems } = readYaml(text)
  if (value !== undefined && problems.length === 0) return { ok: true, value }
  return { ok: false, problems: problems.map(({ message, start }) => ({ pointer: [], message, position: positionOf(text, start) })) }
}
