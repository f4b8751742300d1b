// onbook verify: is the record what was written?
import { readAnchors } from '../../engine/verify/anchors.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { counterOn } from '../progress.ts'
import { runFileOf } from '../questions/open.ts'
import { verifyReport } from '../report/verify-report.ts'
import { printJson } from '../terminal.ts'
import { checkerOf, existingDatabase, readText } from './open-record.ts'
import { verifyFile } from './verify-file.ts'
import { verifyRunFile } from './verify-run-file.ts'

export async function verify(input: Input): Promise<number> {
  if (typeof input.file === 'string') return verifyExported(input, input.file)
  const path = existingDatabase(input)
  const check = await checkerOf(input)
  const anchor = typeof input.anchor === 'string' ? input.anchor : null
  if (anchor !== null && check === null)
    throw new Fault('usage_invalid', { problem: '--anchor needs --public-key: there are no keys here' })
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

/** @param ref a run file, or a run that was imported */
async function verifyExported(input: Input, ref: string): Promise<number> {
  if (input.anchor !== undefined)
    throw new Fault('usage_invalid', { problem: '--anchor is for a whole record: a run file has the checkpoints that cover it' })
  const path = (await runFileOf(input, ref)) ?? ref
  const check = await checkerOf(input)
  const verified = await verifyRunFile(path, check, input.publicKey !== undefined)
  if (input.json) printJson(verified)
  else process.stdout.write(verifyReport(path, verified, { keys: check !== null, anchors: 0, isRun: true }))
  return verified.intact ? 0 : 1
}
