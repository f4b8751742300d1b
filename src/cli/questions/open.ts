// Where a question about a run is asked: a run file, a host that is named, or the folder's record. Whoever asks reads a store, and cannot tell which.
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
  /** Only to be read: events and objects, no tables. */
  readonly store: Store
  readonly tenant: string
  readonly runId: string
  close(): Promise<void>
}

/** @param ref a run's id, or a file that it was exported to */
export async function openQuestioned(input: Input, ref: string): Promise<Questioned> {
  const path = await runFileOf(input, ref)
  if (path !== null) return openRunFile(path)
  // A host that runs on the folder is in nobody's way: whoever reads does not need it.
  if (isHostNamed(input)) return openDownload(input, ref)
  const store = openRecord(input)
  const tenant = tenantOf(input)
  if (await hasRun(store, tenant, ref)) return { store, tenant, runId: ref, close: () => store.close() }
  await store.close()
  throw runNotFound(ref)
}

/** The file that is named, or that a run was imported as; null when there is none, or when the run itself is there: then that is meant, and it is said. */
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

/** Whether or not there is a run of that name. */
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

/** A run may say what nobody else is to read: it does not stay behind. */
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

/** A run of the host that is named, as a file. */
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
