// The version of the rules for new runs. A run records its own version, which never changes.

/**
 * 2: a successful call counts as progress only when its result is new, or files changed since; cycles of up to five steps are a stall; files
 * that change outside of docs while a run plans are logged. A run that recorded no version is judged by the first rules.
 */
export const RULES_VERSION = 2
