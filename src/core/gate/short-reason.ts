// Limits the length of a recorded reason, which may contain text from a model.

const MOST_REASON = 1_000

export const shortReason = (reason: string): string =>
  reason.length <= MOST_REASON ? reason : `${reason.slice(0, MOST_REASON - 1).toWellFormed()}…`
