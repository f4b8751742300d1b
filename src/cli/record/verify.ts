// Folder: Commands about the record: verify, events, objects, backups.
// onbook verify: checks whether the record is as it was written.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkBegins, openFile } from '../../adapters/exported-run/lines.ts'
import { checkerOf, databaseOf, existingDatabase, readText, withRecord } from '../../book/record-folder.ts'
import { verifyFile } from '../../book/verify-file.ts'
import { readAnchors } from '../../engine/verify/anchors.ts'
import type { Verified } from '../../engine/verify/verify.ts'
import { Fault } from '../../errors.ts'
import type { CheckSignature } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { withRecordBook } from '../host/record-book.ts'
import { isHostNamed } from '../host/which-host.ts'
import { counterOn } from '../progress.ts'
import { download, runFileOf } from '../questions/open.ts'
import { importedPath } from '../references/imported-path.ts'
import { type Circumstances, verifyReport } from '../report/verify-report.ts'
import { printJson } from '../terminal.ts'
import { verifyRun } from './verify-run.ts'
import { verifyRunFile } from './verify-run-file.ts'

export async function verify(input: Input): Promise<number> {
  if (typeof input.ref === 'string') return verifyOne(input, input.ref)
  if (isHostNamed(input)) return verifyAtHost(input)
  refuseImportsOnly(input)
  const path = existingDatabase(input)
  const check = await checkerOf(input)
  const anchor = typeof input.anchor === 'string' ? input.anchor : null
  if (anchor !== null && check === null)
    throw new Fault('usage_invalid', { problem: '--anchor needs --public-key: this record has no keys' })
  const anchors = anchor === null || check === null ? [] : readAnchors(anchor, await readText(anchor), check)
  const counter = counterOn()
  const verified = await verifyFile(path, {
    check,
    anchors,
    progress: ({ events, objects }) => counter.tick(`${events} events, ${objects} objects`),
  })
  counter.clear()
  if (input.json) printJson(verified)
  else process.stdout.write(verifyReport(path, verified, { keys: check !== null, anchors: anchors.length }))
  return verified.intact ? 0 : 1
}

/** The host verifies with its own keys. A user who does not trust the host exports runs and verifies them here. */
const verifyAtHost = (input: Input): Promise<number> => {
  if (input.anchor !== undefined || input.publicKey !== undefined)
    throw new Fault('usage_invalid', { problem: '--anchor and --public-key are for a record at hand: a host verifies with its own keys' })
  return withRecordBook(input, async book => {
    const verified = (await book.verify()) as Verified
    if (input.json) printJson(verified)
    else process.stdout.write(verifyReport('the record of the host', verified, { keys: true, anchors: 0 }))
    return verified.intact ? 0 : 1
  })
}

/** @param ref a run file, an imported run, or a run of the record */
async function verifyOne(input: Input, ref: string): Promise<number> {
  if (input.anchor !== undefined)
    throw new Fault('usage_invalid', { problem: '--anchor is for a whole record: one run has the checkpoints that cover it' })
  const check = await checkerOf(input)
  const isStrict = input.publicKey !== undefined
  const path = await runFileOf(input, ref)
  const verified = path === null ? await verifyRecorded(input, ref, check, isStrict) : await verifyExported(path, check, isStrict)
  const about: Circumstances = { keys: check !== null, anchors: 0, of: path === null ? 'run' : 'run file' }
  if (input.json) printJson(verified)
  else process.stdout.write(verifyReport(path ?? `run ${ref}`, verified, about))
  return verified.intact ? 0 : 1
}

async function verifyExported(path: string, check: CheckSignature | null, isStrict: boolean): Promise<Verified> {
  const file = await openFile(path)
  await checkBegins(path, file).finally(() => file.close())
  return verifyRunFile(path, check, isStrict)
}

async function verifyRecorded(input: Input, ref: string, check: CheckSignature | null, isStrict: boolean): Promise<Verified> {
  if (isHostNamed(input)) {
    const { path, remove } = await download(input, ref)
    return verifyRunFile(path, check, isStrict).finally(remove)
  }
  const isThere = existsSync(databaseOf(input))
  const verified = isThere ? await withRecord(input, store => verifyRun(store, ref, check, isStrict)) : null
  if (verified !== null) return verified
  throw new Fault('run_missing', { problem: `There is no run, and no run file, named ${ref}; "onbook run list" lists runs` })
}

/** Imported runs can exist without a record. */
function refuseImportsOnly(input: Input): void {
  const folder = dirname(importedPath(input, 'any'))
  if (existsSync(databaseOf(input)) || !existsSync(folder)) return
  const problem = `there is no record at ${databaseOf(input)}, only runs that were imported: "onbook run list" lists them, "onbook verify RUN" checks one`
  throw new Fault('usage_invalid', { problem })
}
