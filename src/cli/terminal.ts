// Writing to people and to files, and reading options.
import { writeFile } from 'node:fs/promises'
import { Fault } from '../errors.ts'

export const useColor = (stream: NodeJS.WriteStream): boolean =>
  process.env.NO_COLOR === undefined && (process.env.FORCE_COLOR !== undefined || (stream.isTTY === true && process.env.TERM !== 'dumb'))

/** A report goes to standard output, or whole into a file. */
export async function deliver(text: string, file: unknown): Promise<void> {
  const ended = text.endsWith('\n') ? text : `${text}\n`
  if (typeof file !== 'string') {
    process.stdout.write(ended)
    return
  }
  await writeFile(file, ended).catch((error: NodeJS.ErrnoException) => {
    throw new Fault('file_unwritable', { path: file, reason: error.message }, { cause: error })
  })
}

export const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)

export function numberOption(value: unknown, name: string, fallback: number): number {
  if (value === undefined) return fallback
  const number = Number(value)
  if (!Number.isFinite(number) || number < 0 || value === '')
    throw new Fault('usage_invalid', { problem: `${name} must be a number, not "${String(value)}"` })
  return number
}

export function choiceOption<T extends string>(value: unknown, name: string, choices: readonly T[]): T {
  const found = choices.find(choice => choice === value)
  if (found === undefined)
    throw new Fault('usage_invalid', { problem: `${name} must be one of ${choices.join(', ')}, not "${String(value)}"` })
  return found
}
