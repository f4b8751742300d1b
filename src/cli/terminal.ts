// Writes to terminals and files, and reads options.
import { realpath, stat, writeFile } from 'node:fs/promises'
import { writeWhole } from '../adapters/folder/write-whole.ts'
import { codeOf, reasonOf } from '../adapters/processes/reasons.ts'
import { jsonFile } from '../core/digest/indented-json.ts'
import { Fault } from '../errors.ts'
import { safeJson, visibleLines } from './report/visible.ts'

/** NO_COLOR and FORCE_COLOR follow their conventions: an empty value counts as unset, and 0 or false does not force colors. */
export function useColor(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env
  if (NO_COLOR !== '') return false
  if (FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return stream.isTTY === true && TERM !== 'dumb'
}

/** Writes a report to standard output, or atomically into a file. */
export async function deliver(text: string, file: unknown): Promise<void> {
  const ended = text.endsWith('\n') ? text : `${text}\n`
  if (typeof file !== 'string') {
    process.stdout.write(ended)
    return
  }
  await writeReport(file, ended).catch((error: unknown) => {
    const reason = codeOf(error) === 'ENOENT' ? 'its folder does not exist' : reasonOf(error)
    throw new Fault('file_unwritable', { path: file, reason }, { cause: error })
  })
}

async function writeReport(file: string, text: string): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found === null) return writeWhole(file, text)
  // A pipe or a device is written to, never replaced; the same for /dev/stdout, whatever the shell connects to it.
  if (file.startsWith('/dev/') || !(found.isFile() || found.isDirectory())) return writeFile(file, text)
  return writeWhole(await realpath(file), text) // a link stays one
}

export const printJson = (value: unknown): void => void process.stdout.write(safeJson(jsonFile(value)))

export const printJsonLine = (value: unknown): void => void process.stdout.write(`${safeJson(JSON.stringify(value))}\n`)

/** A pipe or file gets the content byte for byte. On a terminal, visible symbols replace control characters. */
export const printContent = (text: string): void => void process.stdout.write(process.stdout.isTTY ? visibleLines(text).join('\n') : text)

export interface Bounds {
  readonly least: number
  readonly most: number
}

export function numberOption(
  value: unknown,
  name: string,
  fallback: number,
  { least, most }: Bounds = { least: 0, most: Number.MAX_SAFE_INTEGER },
): number {
  if (value === undefined) return fallback
  const number = value === '' ? Number.NaN : Number(value)
  if (!(number >= least && number <= most))
    throw new Fault('usage_invalid', { problem: `${name} must be a number from ${least} to ${most}, not "${String(value)}"` })
  return number
}

export function choiceOption<T extends string>(value: unknown, name: string, choices: readonly T[]): T {
  const found = choices.find(choice => choice === value)
  if (found === undefined)
    throw new Fault('usage_invalid', { problem: `${name} must be one of ${choices.join(', ')}, not "${String(value)}"` })
  return found
}
