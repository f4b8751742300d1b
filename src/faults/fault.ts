// Folder: Every error code with its HTTP status and sentence.
// Defines one error code: its HTTP status and its message. Programs read the details, people read the message.

export interface Spec<D> {
  readonly status: number
  readonly say: (details: D) => string
  /** When the error occurs and what to do, for docs/reference/errors.md. Required where the message alone is a text of the caller. */
  readonly summary?: string
}

export const fault = <D>(status: number, say: (details: D) => string, summary?: string): Spec<D> => ({
  status,
  say,
  ...(summary === undefined ? {} : { summary }),
})

/** An error code whose message the caller words, because only the caller knows the case. */
export const worded = <D extends { readonly problem: string } = { problem: string }>(status: number, summary: string): Spec<D> =>
  fault(status, details => `${details.problem}.`, summary)
