// /v1/roles as it is on the wire. Types only.

export type RoleOrigin = 'repo' | 'shipped'

export interface RoleFinding {
  readonly severity: 'error' | 'warning' | 'info'
  readonly message: string
  /** Null when it is about the file as a whole. */
  readonly position: { readonly line: number; readonly column: number } | null
  readonly suggestion?: string
}

export interface RoleSummary {
  readonly name: string
  readonly source: RoleOrigin
  /** Null when it cannot be used. */
  readonly version: string | null
  readonly requests: readonly string[]
  /** Whether a shipped role of this name is out of use because of it. */
  readonly shadows: boolean
  readonly problems: readonly RoleFinding[]
}

export interface RoleDescription {
  readonly name: string
  readonly source: RoleOrigin
  readonly version: string
  readonly ref: string
  /** Of the whole file. */
  readonly digest: string
  readonly requests: readonly string[]
  readonly constraints: readonly string[]
  /** For the model: without the head. */
  readonly text: string
  /** The whole file. */
  readonly raw: string
}
