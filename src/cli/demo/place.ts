// Locates and creates the demo's folder: the newsroom, the host's settings, and the record. Created once, and then left as it is.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { PACKAGE, type Planned, scaffold } from '../init.ts'

const RECORD = '.onbook'
const DEFAULT_DATA = join('onbook-demo', RECORD)
/** Marks a folder as the demo's. */
const MARK = 'demo.md'

export interface DemoPlace {
  /** The folder in which commands are typed. */
  readonly home: string
  /** The path from where the demo was started. */
  readonly shown: string
  /** The path of the record, relative to `home`. */
  readonly record: string
  /** The options for `onbook demo` to get here again. */
  readonly again: readonly string[]
}

/** A record with the default name lies in the demo's folder. Any other path is the demo's folder itself. */
export function placeOf({ data }: Input): DemoPlace {
  const given = typeof data === 'string' ? data : DEFAULT_DATA
  const isInside = basename(given) === RECORD
  const home = resolve(isInside ? dirname(given) : given)
  return {
    home,
    shown: relative(process.cwd(), home) || '.',
    record: isInside ? RECORD : '.',
    again: typeof data === 'string' ? ['--data', data] : [],
  }
}

/** Leaves an existing demo as it is, and refuses a folder with other files. */
export async function makePlace({ home }: DemoPlace): Promise<void> {
  if (existsSync(join(home, MARK))) return
  const found = await readdir(home).catch((): readonly string[] => [])
  if (found.length > 0) throw new Fault('folder_not_empty', { path: home })
  await scaffold(home, [...(await filesIn('examples/newsroom', 'newsroom')), ...(await filesIn('examples/demo', '.'))])
}

async function filesIn(source: string, to: string): Promise<readonly Planned[]> {
  const folder = join(PACKAGE, source)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(from => ({ path: join(to, relative(folder, from)).replaceAll('\\', '/'), from }))
}
