// Verifies one exported run: its content, every break, and how many events signed checkpoints cover.
import { openFile } from '../../adapters/exported-run/lines.ts'
import { type FileBreak, type RunFile, readRunFile, streamKey } from '../../adapters/exported-run/read-run-file.ts'
import { CHECKPOINTS } from '../../core/record/checkpoint.ts'
import { isGenuine } from '../../engine/verify/anchors.ts'
import type { Verified } from '../../engine/verify/verify.ts'
import type { CheckSignature } from '../../ports.ts'

/** With more breaks, the file is not worth reading on. */
const MOST_BREAKS = 1_000
const ENOUGH = Symbol('enough')

/** @param isStrict whether every checkpoint must be signed with one of the keys: a file from elsewhere is not signed with ours */
export async function verifyRunFile(path: string, check: CheckSignature | null, isStrict: boolean): Promise<Verified> {
  const breaks: FileBreak[] = []
  const report = (found: FileBreak): void => {
    if (breaks.length === MOST_BREAKS) throw ENOUGH
    breaks.push(found)
  }
  const file = await openFile(path)
  try {
    const run = await readRunFile(file, report)
    const unsealed = run === null ? 0 : unsealedIn(run, check, isStrict, report)
    return { intact: breaks.length === 0, unsealed, ...countsOf(run), breaks, moreBreaks: 0 }
  } catch (error) {
    if (error !== ENOUGH) throw error
    return { intact: false, unsealed: 0, ...countsOf(null), breaks, moreBreaks: 1 }
  } finally {
    await file.close()
  }
}

function countsOf(run: RunFile | null): Pick<Verified, 'streams' | 'events' | 'objects' | 'erased'> {
  if (run === null) return { streams: 0, events: 0, objects: 0, erased: 0 }
  const events = run.header.streams.reduce((sum, one) => sum + one.events, 0)
  const erased = [...run.objects.values()].filter(places => places === null).length
  return { streams: run.header.streams.length, events, objects: run.objects.size, erased }
}

/** Counts events that no checkpoint covers. Without keys, no event counts as covered. */
function unsealedIn(
  { header, checkpoints }: RunFile,
  check: CheckSignature | null,
  isStrict: boolean,
  report: (found: FileBreak) => void,
): number {
  const sealed = new Map<string, number>()
  const filed = new Map(header.streams.map(({ tenant, stream, events }) => [streamKey(tenant, stream), events]))
  for (const { event, checkpoint } of checkpoints) {
    const { tenant, seq: sequence } = event
    const genuine = check === null ? null : isGenuine(checkpoint, check)
    if (genuine === false) report({ tenant, stream: CHECKPOINTS, sequence, code: 'checkpoint_forged' })
    else if (genuine === null && isStrict) report({ tenant, stream: CHECKPOINTS, sequence, code: 'checkpoint_key_unknown' })
    else if (genuine)
      for (const { stream, seq } of checkpoint.statement.heads) {
        const key = streamKey(tenant, stream)
        // A checkpoint beyond the end of the file proves nothing about the events in it.
        if (seq < (filed.get(key) ?? 0)) sealed.set(key, Math.max(seq + 1, sealed.get(key) ?? 0))
      }
  }
  return header.streams.reduce((sum, { tenant, stream, events }) => sum + events - (sealed.get(streamKey(tenant, stream)) ?? 0), 0)
}
