// A book on the record of a folder, for commands that read or write the record and start no work. A host may run on the folder meanwhile.
import { workerValidator } from '../adapters/validator/worker-validator.ts'
import { type Book, bookOf } from '../book.ts'
import { createHost } from '../host/app.ts'
import { commitHere } from './commit-here.ts'
import { hostConfigOf } from './host-config.ts'
import { embeddedAccess } from './in-process-fetch.ts'
import { openProductStore } from './product-store.ts'
import { actorOf, checkerOf, clock, databaseOf, tenantOf } from './record-folder.ts'
import type { Settings } from './settings.ts'
import { verifyTenant } from './verify-file.ts'
import { versionChecker } from './version-checker.ts'

/** No answer in this process is late: a command takes as long as its work. */
const TIMEOUT_MS = 24 * 60 * 60 * 1_000

/** Switched off for callers of the host. A user who can write to the folder may do them. */
const OPEN_GATES = { supported: true, endpointsSupported: true, mutableLibrary: true }

/** Creates the record when it does not exist. */
export function openRecordBook(settings: Settings): Book {
  const config = { ...hostConfigOf(settings), ...OPEN_GATES }
  const store = openProductStore(settings)
  const access = embeddedAccess(actorOf(), tenantOf(settings), commitHere())
  const validator = workerValidator()
  const app = createHost({
    store,
    clock,
    config,
    checker: versionChecker(validator),
    verify: async (tenant, pause) => verifyTenant(databaseOf(settings), tenant, await checkerOf(settings), pause),
    ...access.host,
  })
  return bookOf({ ...access.client(app), timeoutMs: TIMEOUT_MS }, async () => {
    await app.close()
    await validator.close()
    await store.close()
  })
}
