// Recognises a workflow or an agent outside its folder by its keys. Judges nothing else.
import { agentFormat } from '../agent/agent-format.ts'
import { isObject } from '../digest/is-object.ts'
import { packFormat } from '../pack/format.ts'
import { readDocument } from '../workflow/read-document.ts'

export interface DocumentKind {
  readonly kind: 'workflow' | 'agent'
  /** Where files of this kind usually lie. */
  readonly folder: 'workflows' | 'agents'
  /** The key that no pack has. */
  readonly key: string
}

const PACK_KEYS = new Set(Object.keys(packFormat.properties))
/** A file with one of these keys is meant as a pack. */
const ONLY_PACKS: readonly string[] = ['inputSchema', 'outputSchema', 'examples', 'constraints', 'refusalRules']
const ONLY_AGENTS = Object.keys(agentFormat.properties).filter(key => !PACK_KEYS.has(key))

/** Null for a pack, and for a text that may be anything. */
export function documentKind(path: string, text: string): DocumentKind | null {
  const read = readDocument(path, text)
  if (!read.ok || !isObject(read.value)) return null
  const { value } = read
  const has = (key: string): boolean => Object.hasOwn(value, key)
  if (ONLY_PACKS.some(has)) return null
  if (Array.isArray(value.nodes)) return { kind: 'workflow', folder: 'workflows', key: 'nodes' }
  const key = has('agentId') ? ONLY_AGENTS.find(has) : undefined
  return key === undefined ? null : { kind: 'agent', folder: 'agents', key }
}
