// Finds tool settings that no adapter could send, so that they are not adopted: an invalid choice, or a choice of a missing tool.

import type { ContentProblem } from '../pack/file-content.ts'
import { collectTools, readTools } from './read-tools.ts'

/** @param text a compiled catalog */
export function unsendable(path: string, text: string): ContentProblem | null {
  const read = readTools(new TextEncoder().encode(text))
  const whole = read.ok ? collectTools([read]) : read
  return whole.ok ? null : { path, pointer: whole.problem.pointer, message: whole.problem.message }
}
