// /v1/labels as it is on the wire. Types only.

export interface LabelState {
  readonly label: string
  readonly version: string
  /** Who moved it there, when and why. A snapshot does not say. */
  readonly actor?: string
  readonly at?: string
  readonly why?: string | null
}

/** One thing that was done to a label. `from` null: it was new; `to` null: it was removed. */
export interface LabelMove {
  readonly label: string
  readonly from: string | null
  readonly to: string | null
  readonly actor: string
  readonly at: string
  readonly why: string | null
}
