// Lists every prompt ref in a workflow or an agent, by place. Does not resolve them.
import type { Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import { isEmpty } from '../resolve/layers.ts'
import { type PromptRef, readPromptRef } from '../resolve/prompt-ref.ts'
import type { Pointer } from '../schema/pointer.ts'
import type { Mismatch } from '../schema/verdict.ts'

export const REF_KEYS = ['systemPromptRef', 'userPromptRef', 'schemaHintPromptRef', 'fewShotPromptRefs', 'additionalPromptRefs'] as const

export interface WrittenRef {
  readonly pointer: Pointer
  readonly value: Json
}

export function* refsInWorkflow({ defaults, nodes }: JsonObject): Iterable<WrittenRef> {
  if (isObject(defaults)) yield* refsByKind(defaults.promptRefs, ['defaults', 'promptRefs'])
  for (const [index, node] of (Array.isArray(nodes) ? (nodes as readonly Json[]) : []).entries()) {
    if (!isObject(node)) continue
    yield* refsInFields(node, ['nodes', index])
    if (isObject(node.config)) yield* refsInFields(node.config, ['nodes', index, 'config'])
  }
}

/** Its systemPromptRef is a path. */
export const refsInAgent = ({ promptOverrides }: JsonObject): Iterable<WrittenRef> => refsByKind(promptOverrides, ['promptOverrides'])

function* refsByKind(byKind: Json | undefined, at: Pointer): Iterable<WrittenRef> {
  if (isObject(byKind)) for (const [kind, value] of Object.entries(byKind)) yield* refsAt(value, [...at, kind])
}

function* refsInFields(fields: JsonObject, at: Pointer): Iterable<WrittenRef> {
  for (const key of REF_KEYS) {
    const value = fields[key]
    if (Array.isArray(value)) for (const [index, entry] of (value as readonly Json[]).entries()) yield* refsAt(entry, [...at, key, index])
    else yield* refsAt(value, [...at, key])
  }
}

function* refsAt(value: Json | undefined, pointer: Pointer): Iterable<WrittenRef> {
  if (!isEmpty(value)) yield { pointer, value: value! }
}

/** In files of ours a ref may name a label. */
export function readRefs(refs: Iterable<WrittenRef>): {
  readonly sound: readonly { readonly pointer: Pointer; readonly ref: PromptRef }[]
  readonly problems: readonly Mismatch[]
} {
  const read = [...refs].map(({ pointer, value }) => ({ pointer, read: readPromptRef(value, { labels: true }) }))
  return {
    sound: read.flatMap(({ pointer, read }) => (read.ok ? [{ pointer, ref: read.ref }] : [])),
    problems: read.flatMap(({ pointer, read }) => (read.ok ? [] : [{ pointer, message: `Not a ref: ${read.problem}` }])),
  }
}
