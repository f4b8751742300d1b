// Lists imported runs: files beside the record that are not part of it. Each file is read whole, and a damaged one is reported as broken.
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { exportedStore } from '../../adapters/exported-run/exported-store.ts'
import type { RunFileHeader } from '../../core/record/run-file.ts'
import { runEvent, runStream } from '../../core/run/events.ts'
import { runFolding } from '../../core/run/reduce.ts'
import { emptyRun } from '../../core/run/state.ts'
import { answerFor } from '../../engine/reading/malformed.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { importedPath } from '../references/imported-path.ts'
import { statusOf } from '../runs/status.ts'
import type { ListedRun } from '../runs/watched-runs.ts'

export interface ImportedRun extends ListedRun {
  readonly imported: true
}

export async function importedRuns(input: Input): Promise<readonly ImportedRun[]> {
  const folder = dirname(importedPath(input, 'any'))
  const names = await readdir(folder).catch(() => [])
  const found: ImportedRun[] = []
  // One at a time: each stays open while it is read, and there may be many.
  for (const name of names.filter(one => one.endsWith('.jsonl')).sort()) found.push(await importedRun(join(folder, name)))
  return found
}

async function importedRun(path: string): Promise<ImportedRun> {
  const runId = runIdOf(basename(path, '.jsonl'))
  try {
    const { store, header } = await exportedStore(path)
    try {
      return await answerFor(runId, () => standingOf(store, header))
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { runId, workflowId: '', status: 'broken', createdAt: '', changedAt: '', imported: true }
  }
}

/** The folder may contain files with any name. */
function runIdOf(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

async function standingOf(store: Store, { tenant, run: runId }: RunFileHeader): Promise<ImportedRun> {
  const fold = runFolding()
  let [state, createdAt, changedAt] = [emptyRun, '', '']
  for await (const { event } of store.read(tenant, runStream(runId), -1)) {
    state = fold(runEvent(event))
    createdAt ||= event.at
    changedAt = event.at
  }
  return { runId, workflowId: state.workflowId, status: statusOf(state), createdAt, changedAt, imported: true }
}
