// Questions to a validator, and its answers. Core does not decide which validator runs, or where.
import type { Json } from '../digest/digest.ts'
import type { Pointer } from './pointer.ts'

/** Without `instance` the question is whether the schema itself can be used. */
export interface Question {
  readonly schema: string
  readonly instance?: Json
}

export interface Mismatch {
  readonly pointer: Pointer
  readonly message: string
  /** For problems that a program tells from others. */
  readonly code?: string
}

export type Verdict =
  | { readonly outcome: 'valid' }
  | { readonly outcome: 'invalid'; readonly mismatches: readonly Mismatch[] }
  /** The schema cannot be used: not valid itself, or it runs away. */
  | { readonly outcome: 'unusable'; readonly message: string }
