// Story: one byte in a copy of the record is changed. verify finds it, and names the event.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runStream } from '../../../core/run/events.ts'
import { bySequence } from '../../../core/run/reading/reading.ts'
import type { Verified } from '../../../engine/verify/verify.ts'
import { Fault } from '../../../errors.ts'
import type { Stage } from '../stage.ts'

const COPY = 'tampered'
const FILE = join(COPY, 'onbook.db')

export async function tamper({ type, say, runId, read, color }: Stage): Promise<string> {
  await rm(COPY, { recursive: true, force: true })
  await mkdir(COPY)
  const whole = await type<Verified>(['verify'])
  say(`${color.green('intact')}: ${whole.events} events, ${whole.objects} objects`)
  await type(['store', 'backup', FILE])
  const { steps } = (await read(runId)).reading
  const [judged] = steps.flatMap(({ calls }) => calls.flatMap(({ verdicts }) => verdicts)).toSorted(bySequence)
  const { was, is, at } = await changeHour(runStream(runId), judged!.sequence)
  say(`One byte of the copy is changed, byte ${at}: the writer asked for the tool at`, `${was}, and now the copy says ${color.red(is)}`)
  const { breaks } = await type<Verified>(['verify', '--data', COPY], [1])
  const [found] = breaks
  say(color.red(`${found!.code}: event ${found!.sequence} of ${found!.stream}`))
  return found!.sequence === judged!.sequence
    ? 'Every event carries the hash of the one before it: a changed byte has nowhere to hide.'
    : 'The record is broken, and not where this was done.'
}

/** Changes the first digit of the hour in the bytes of the event. */
async function changeHour(stream: string, sequence: number): Promise<{ readonly was: string; readonly is: string; readonly at: number }> {
  const bytes = await readFile(FILE)
  const start = bytes.indexOf(`"stream":${JSON.stringify(stream)},"seq":${sequence},`)
  const field = start < 0 ? -1 : bytes.indexOf('"at":"', start)
  if (field < 0) throw new Fault('demo_failed', { problem: `event ${sequence} of ${stream} is not in one piece in ${FILE}` })
  const [from, at] = [field + '"at":"'.length, field + '"at":"2026-11-16T'.length]
  const time = () => bytes.subarray(from, from + '2026-11-16T09:12'.length).toString()
  const was = time()
  bytes[at] = bytes[at] === 0x31 ? 0x30 : 0x31
  await writeFile(FILE, bytes)
  return { was, is: time(), at }
}
