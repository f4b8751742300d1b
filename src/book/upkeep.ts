// Work that a host repeats while it runs: it signs the streams that moved, collects unreferenced objects and drops old idempotent answers.
import { scratchSignedHeads } from '../adapters/sqlite-store/inspect/scratch-signed-heads.ts'
import { collectObjects } from '../engine/record/erase.ts'
import { pruneAnswers } from '../engine/record/prune-answers.ts'
import { keepSealing } from '../engine/record/seal.ts'
import { startInterval } from '../engine/work/interval.ts'
import type { Keyring, Store } from '../ports.ts'
import { clock } from './record-folder.ts'

const SEAL_EVERY_MS = 60_000
const COLLECT_EVERY_MS = 3_600_000
const PRUNE_EVERY_MS = 3_600_000

export interface Upkeep {
  /** Signs once more. */
  stop(): Promise<void>
}

/** @param report writes an error to the log of the host */
export function startUpkeep(store: Store, keyring: Keyring, report: (facts: object, message: string) => void): Upkeep {
  const signed = scratchSignedHeads()
  const sealing = keepSealing(
    store,
    keyring,
    SEAL_EVERY_MS,
    {
      failed: error => report({ err: error }, 'the record was not sealed'),
      refused: ({ tenant, stream, sequence, code }) =>
        report(
          { tenant, stream, sequence, code },
          'RECORD TAMPERED WITH: this stream does not continue what was signed, and is not signed any more. Keep the file, and run "onbook verify"',
        ),
    },
    signed,
  )
  const collecting = startInterval(
    () => collectObjects(store, clock),
    COLLECT_EVERY_MS,
    error => report({ err: error }, 'unreferenced objects were not collected'),
  )
  const pruning = startInterval(
    () => pruneAnswers(store, clock),
    PRUNE_EVERY_MS,
    error => report({ err: error }, 'old idempotent answers were not dropped'),
  )
  return {
    async stop() {
      await Promise.all([collecting.stop(), pruning.stop()])
      await sealing.stop()
      signed.close()
    },
  }
}
