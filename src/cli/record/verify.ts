// onbook verify: is the record what was written?
import { readAnchors } from '../../engine/verify/anchors.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { counterOn } from '../progress.ts'
import { verifyReport } from '../report/verify-report.ts'
import { printJson } from '../terminal.ts'
import { checkerOf, existingDatabase, readText } from './open-record.ts'
import { verifyFile } from './verify-file.ts'

export async function verify(input: Input): Promise<number> {
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
