// Where the demo lies: one folder with the newsroom, what its host is set to, and the record. Made once, and then left as it is.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { PACKAGE, type Planned, scaffold } from '../init.ts'

const RECORD = '.onbook'
const DEFAULT_DATA = join('onbook-demo', RECORD)
/** By which a folder is known as the demo's. */
const MARK = 'demo.md'

export interface DemoPlace {
  /** Commands are typed here. */
  readonly home: string
  /** As somebody names it who stands where the demo was started. */
  readonly shown: string
  /** Where the record is, seen from `home`. */
  readonly record: string
  /** What has to be said to `onbook demo` to get here again. */
  readonly again: readonly string[]
}

/** A record that is called as usual lies in the demo's folder; any other is the demo's folder itself. */
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

/** What is there already is left alone, and a folder with anything else in it is refused. */
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
