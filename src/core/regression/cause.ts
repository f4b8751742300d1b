// Folder: The effect of a proposal on recorded prompts: causes, parts of a workflow one by one, counts. It composes nothing.
// Names and orders the causes of changed prompts: the parts of a proposal. Compares nothing.
import type { Block } from '../compose/parts.ts'
import { canonicalJson, type Json } from '../digest/digest.ts'
import type { ByteSpan } from '../replay/divergence.ts'
import type { Layer } from '../resolve/layers.ts'

export const CAUSES = ['workflow', 'agent', 'role', 'template', 'prelude', 'catalog'] as const

/** One part of a proposal that differs from the record, and that can be applied alone. */
export interface Cause {
  readonly cause: (typeof CAUSES)[number]
  /** An id, or the name of a prelude, a catalog or a role. */
  readonly name: string
  /** A part of a workflow: `promptRefs`, `nodes/writer`. */
  readonly part?: string
  /** In the workspace. */
  readonly file?: string
  /** The pins before and after: versions, or digests of content. Null for nothing. */
  readonly from: string | null
  readonly to: string | null
  /** Whether a version that is on record has another content in the proposal. */
  readonly sameVersion?: true
}

/** The place of a difference: a block, or content beside the blocks. */
export type ChangedPlace = Block | 'prelude' | 'tools'

export interface PromptChange {
  /** Null for a step that could not be composed. */
  readonly block: ChangedPlace | null
  readonly layer?: Layer
  readonly template?: string
  readonly variable?: string
  /** The span in the recorded prompt. */
  readonly span: ByteSpan | null
  readonly expected: string | null
  readonly found: string | null
  /** A few of the different lines, with `-` and `+` before them. */
  readonly lines: readonly string[]
}

export const causeKey = (cause: Cause): string => canonicalJson(cause as unknown as Json)

const orderKey = ({ cause, name, part = '', from, to }: Cause): readonly string[] => [
  String(CAUSES.indexOf(cause)),
  name,
  part,
  from ?? '',
  to ?? '',
]

export function inCauseOrder(one: Cause, other: Cause): number {
  const [left, right] = [orderKey(one), orderKey(other)]
  const at = left.findIndex((text, index) => text !== right[index])
  return at < 0 ? 0 : left[at]! < right[at]! ? -1 : 1
}
