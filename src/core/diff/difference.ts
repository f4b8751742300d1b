// Folder: Where two runs, steps, templates or files differ: decisions with both sides, texts line by line. It loads nothing and guesses no cause.
// What is different between two things, as it is told: first where decisions differ, then the texts. Compares nothing.
import type { Block } from '../compose/parts.ts'
import type { Digest, Json } from '../digest/digest.ts'
import type { Bump } from '../pack/changes.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { Layer } from '../resolve/layers.ts'
import type { TextHunk } from './text-hunks.ts'

export type What =
  // Of a run.
  | 'workflow'
  | 'input'
  | 'configurable'
  | 'host-default'
  | 'agent'
  | 'repository'
  | 'setting'
  | 'outcome'
  // Of a node, or of a step.
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
  // Of content.
  | 'kind'
  | 'meta'
  | 'pack'
  | 'example'
  | 'rule'
  | 'schema'
  | 'file'

/** What tells one decision from others of its kind. */
export interface Named {
  readonly what: What
  readonly kind?: PromptKind
  /** Where both sides have the same. */
  readonly layer?: Layer
  /** Whose variable it is; without its version. */
  readonly template?: string
  readonly variable?: string
  /** Of an input, a parameter, a tool, an agent. */
  readonly name?: string
  /** Of a document: where in it. */
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
  /** Null where there is none. What is long is cut to where it differs; of two objects, only what differs is told, and left out where it is not said. */
  readonly a: Json
  readonly b: Json
}

export interface TextPlace {
  readonly nodeId: string
  readonly visit: number
  readonly step: number
}

/** A text of one side and of the other, by where it stands. */
export interface TextChange extends Partial<TextPlace> {
  /** Of a prompt; `reply`: what the model said to it. Left out by a file, which has a path. */
  readonly block?: Block | 'reply' | 'text'
  readonly path?: string
  readonly a: Digest | null
  readonly b: Digest | null
  /** Null when it cannot be told line by line: `why` says what keeps it from that. */
  readonly hunks: readonly TextHunk[] | null
  readonly why?: 'too_different' | 'too_long' | 'erased' | 'no_text'
  /** Where else the same two texts stand. */
  readonly again?: readonly TextPlace[]
}

/** What a change comes to for whoever uses the content; from A to B. */
export interface Meaning {
  readonly what: What
  /** Of a pack, a prelude, a catalog, an agent. */
  readonly name: string
  readonly path?: string
  /** How big a step in the version it needs. */
  readonly bump?: Bump
  /** Goes on from the name: `adds the optional variable "x"`. */
  readonly change: string
  /** Files that make it so. */
  readonly because?: readonly string[]
}

export interface Differences {
  readonly same: boolean
  readonly decisions: readonly Decision[]
  readonly texts: readonly TextChange[]
  /** Of content alone. */
  readonly means?: readonly Meaning[]
  /** How many more there are of either. */
  readonly left: number
}

export const MOST_DECISIONS = 1_000
export const MOST_TEXTS = 200
/** Of all texts together. */
const MOST_CHARACTERS = 4_000_000

/** At most so many of each are told, and of texts at most so much. */
export function bounded(decisions: readonly Decision[], texts: readonly TextChange[]): Differences {
  const told = decisions.slice(0, MOST_DECISIONS)
  let room = MOST_CHARACTERS
  const shown = texts.slice(0, MOST_TEXTS).map((change): TextChange => {
    const size = (change.hunks ?? []).flatMap(({ lines }) => lines).reduce((sum, line) => sum + line.length + 1, 0)
    if (size > room) return { ...change, hunks: null, why: 'too_long' }
    room -= size
    return change
  })
  const left = decisions.length - told.length + (texts.length - shown.length)
  return { same: decisions.length === 0 && texts.length === 0, decisions: told, texts: shown, left }
}
