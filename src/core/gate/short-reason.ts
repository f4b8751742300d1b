// How long a reason may be that is put on record: what a model wrote may stand in it. Says nothing of what the reason is.

const MOST_REASON = 1_000

export const shortReason = (reason: string): string =>
  reason.length <= MOST_REASON ? reason : `${reason.slice(0, MOST_REASON - 1).toWellFormed()}…`
