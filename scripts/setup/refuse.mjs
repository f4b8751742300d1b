// Failures meant for a person: a message without a stack, and an exit code.
// @ts-check

const REFUSED = Symbol('refused')

/** @param {string} message @param {number} [code] @returns {Error} */
export const refuse = (message, code = 1) => Object.assign(new Error(message), { [REFUSED]: code })

/** @param {unknown} error @returns {{ message: string, code: number } | null} null for a bug, which keeps its stack */
export function reasonOf(error) {
  if (!(error instanceof Error) || !(REFUSED in error)) return null
  return { message: error.message, code: Number(error[REFUSED]) }
}
