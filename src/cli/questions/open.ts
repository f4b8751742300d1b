// Opens the source of a question about a run: a run file, a named host, or the folder's record. The question reads a store in each case.
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportedStore } from '../../adapters/exported-run/exported-store.ts'
import { databaseOf, openRecord, tenantOf, withRecord } from '../../book/record-folder.ts'
import { runStream } from '../../core/run/events.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { hostFor, isHostNamed } from '../host/which-host.ts'
import { writeNew } from '../record/output.ts'
import { importedPath } from '../references/imported-path.ts'
import { visible } from '../report/visible.ts'
import { runNotFound } from '../runs/watched-runs.ts'
import { exportedBy } from './exported-by.ts'

export interface Questioned {
  /** Read-only: events and objects, no tables. */
  readonly store: Store
  readonly tenant: string
  readonly runId: string
  close(): Promise<void>
}

/** @param ref a run's id, or an exported run file */
export async function openQuestioned(input: Input, ref: string): Promise<Questioned> {
  const path = await runFileOf(input, ref)
  if (path !== null) return openRunFile(path)
  // A host that runs on the folder does not get in the way: reading the record does not need it.
  if (isHostNamed(input)) return openDownload(input, ref)
  const store = openRecord(input)
  const tenant = tenantOf(input)
  if (await hasRun(store, tenant, ref)) return { store, tenant, runId: ref, close: () => store.close() }
  await store.close()
  throw runNotFound(ref)
}

/** The named file, or the file of an imported run; null when there is neither. A run of the record wins over an imported one, with a notice. */
export async function runFileOf(input: Input, ref: string): Promise<string | null> {
  const path = await savedFileOf(input, ref)
  if (path === null || path === ref) return path
  if (isHostNamed(input)) return null
  if (!existsSync(databaseOf(input)) || !(await withRecord(input, store => hasRun(store, tenantOf(input), ref)))) return path
  process.stderr.write(
    `${visible(`Run ${ref} was imported too, and this is the one of the record. For the other, name its file: ${path}`)}\n`,
  )
  return null
}

/** Does not check whether the record has a run with this id. */
async function savedFileOf(input: Input, ref: string): Promise<string | null> {
  for (const path of [ref, importedPath(input, ref)])
    if (
      await stat(path).then(
        found => found.isFile(),
        () => false,
      )
    )
      return path
  return null
}

const hasRun = async (store: Store, tenant: string, runId: string): Promise<boolean> =>
  (await store.head(tenant, runStream(runId))).seq >= 0

async function openRunFile(path: string, closed: () => Promise<void> = async () => {}): Promise<Questioned> {
  const { store, header } = await exportedStore(path)
  return {
    store,
    tenant: header.tenant,
    runId: header.run,
    close: () => store.close().then(closed),
  }
}

/** A download may contain confidential text: it is deleted even when a signal ends the command. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

async function openDownload(input: Input, runId: string): Promise<Questioned> {
  const { path, remove } = await download(input, runId)
  try {
    return await openRunFile(path, remove)
  } catch (error) {
    await remove()
    throw error
  }
}

/** Downloads a run of the named host to a temporary file. */
export async function download(input: Input, runId: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const host = (await hostFor(input))!
  const folder = await mkdtemp(join(tmpdir(), 'onbook-'))
  const leave = (signal: NodeJS.Signals): void => {
    rmSync(folder, { recursive: true, force: true })
    process.kill(process.pid, signal)
  }
  for (const signal of SIGNALS) process.once(signal, leave)
  const remove = (): Promise<void> => {
    for (const signal of SIGNALS) process.off(signal, leave)
    return rm(folder, { recursive: true, force: true })
  }
  try {
    const path = join(folder, 'run.jsonl')
    await writeNew(path, exportedBy(host, runId))
    return { path, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
