// Folder: Where two runs, steps, templates or files differ: decisions with both sides, texts line by line. It loads nothing and guesses no cause.
// The types of a reported difference: first the decisions, then the texts. Compares nothing.
import type { Block } from '../compose/parts.ts'
import type { Digest, Json } from '../digest/digest.ts'
import type { Bump } from '../pack/changes.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { Layer } from '../resolve/layers.ts'
import type { TextHunk } from './text-hunks.ts'

export type What =
  // Decisions of a run.
  | 'workflow'
  | 'input'
  | 'configurable'
  | 'host-default'
  | 'agent'
  | 'repository'
  | 'setting'
  | 'outcome'
  // Decisions of a node or a step.
  | 'node'
  | 'step'
  | 'handoff'
  | 'role'
  | 'mode'
  | 'workspace'
  | 'prelude'
  | 'catalog'
  | 'policy'
  | 'model'
  | 'parameter'
  | 'tools'
  | 'tool'
  | 'layer'
  | 'template'
  | 'variable'
  | 'override'
  | 'history'
  | 'sent'
  | 'reply'
  | 'verdict'
  | 'approval'
  | 'result'
  // Decisions of content.
  | 'kind'
  | 'meta'
  | 'pack'
  | 'example'
  | 'rule'
  | 'schema'
  | 'file'

/** Distinguishes a decision from others of its kind. */
export interface Named {
  readonly what: What
  readonly kind?: PromptKind
  /** Where both sides have the same. */
  readonly layer?: Layer
  /** The template of the variable, without its version. */
  readonly template?: string
  readonly variable?: string
  /** The name of an input, a parameter, a tool or an agent. */
  readonly name?: string
  /** The position in a document. */
  readonly field?: string
  /** Which call of the reply, from 1. */
  readonly call?: string
  /** A file of a workspace. */
  readonly path?: string
}

export interface Decision extends Named {
  readonly nodeId?: string
  readonly visit?: number
  /** From this one on, where it holds for those that follow. */
  readonly step?: number
  /**
   * Null when missing. A long value is cut to where it differs. Two objects have only their differing fields; a missing
   * field is left out.
   */
  readonly a: Json
  readonly b: Json
}

export interface TextPlace {
  readonly nodeId: string
  readonly visit: number
  readonly step: number
}

/** A text of both sides, with its place. */
export interface TextChange extends Partial<TextPlace> {
  /** A block of a prompt; `reply`: the model's reply to it. Left out by a file, which has a path. */
  readonly block?: Block | 'reply' | 'text'
  readonly path?: string
  readonly a: Digest | null
  readonly b: Digest | null
  /** Null when there is no diff by line: `why` has the reason. */
  readonly hunks: readonly TextHunk[] | null
  readonly why?: 'too_different' | 'too_long' | 'erased' | 'no_text'
  /** Other places of the same two texts. */
  readonly again?: readonly TextPlace[]
}

/** The effect of a change from A to B on users of the content. */
export interface Meaning {
  readonly what: What
  /** The name of a pack, a prelude, a catalog or an agent. */
  readonly name: string
  readonly path?: string
  /** The version bump that it needs. */
  readonly bump?: Bump
  /** Continues the sentence after the name: `adds the optional variable "x"`. */
  readonly change: string
  /** Files that make it so. */
  readonly because?: readonly string[]
}

export interface Differences {
  readonly same: boolean
  readonly decisions: readonly Decision[]
  readonly texts: readonly TextChange[]
  /** Only for content. */
  readonly means?: readonly Meaning[]
  /** How many more there are of either. */
  readonly left: number
}

export const MOST_DECISIONS = 1_000
export const MOST_TEXTS = 200
/** The limit for all texts together. */
const MOST_CHARACTERS = 4_000_000

/** Limits the number of decisions and texts, and the total length of the texts. */
export function bounded(decisions: readonly Decision[], texts: readonly TextChange[]): Differences {
  const listed = decisions.slice(0, MOST_DECISIONS)
  let room = MOST_CHARACTERS
  const shown = texts.slice(0, MOST_TEXTS).map((change): TextChange => {
    const size = (change.hunks ?? []).flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.length + 1, 0)
    if (size > room) return { ...change, hunks: null, why: 'too_long' }
    room -= size
    return change
  })
  const left = decisions.length - listed.length + (texts.length - shown.length)
  return { same: decisions.length === 0 && texts.length === 0, decisions: listed, texts: shown, left }
}
