// Records changes to the repo while a node's agent or tool works there: takes a snapshot before, and commits the difference with the result of the work.
import { digestBytes, type Json } from '../../core/digest/digest.ts'
import type { ChangedFile, ToldChange, Worker } from '../../core/run/changes.ts'
import { Fault } from '../../errors.ts'
import type { RepoChange, RepoWatch } from '../../ports.ts'
import type { Performing, Sent, TurnSubmission } from './performing.ts'

type Looking = Pick<Performing, 'parts' | 'place'>
type Brought = Required<Pick<TurnSubmission, 'objects'>> & Pick<TurnSubmission, 'changed'>

const NOTHING: Brought = { objects: [] }

/** Null where no repo is watched. */
async function watchFor({ parts, place }: Looking): Promise<{ readonly watch: RepoWatch; readonly key: string } | null> {
  const watch = parts.watch === undefined ? null : await parts.watch()
  // A node does one thing at a time.
  return watch === null ? null : { watch, key: JSON.stringify([place.tenant, place.runId, place.nodeId]) }
}

export async function lookBefore(looking: Looking): Promise<void> {
  const found = await watchFor(looking)
  await found?.watch.before(found.key)
}

/** `send` records the changes since the snapshot. The snapshot is dropped only after that. */
export async function tellChange(looking: Looking, worker: Worker, send: (brought: Brought) => Promise<Sent>): Promise<Sent> {
  const found = await watchFor(looking)
  if (found === null) return send(NOTHING)
  const submitted = await send(await changeIn(looking, found.watch, found.key, worker))
  // A failure here does not undo the recorded result.
  await found.watch.forget(found.key).catch(error => looking.parts.failed(error as Error, looking.place))
  return submitted
}

async function changeIn({ parts, place }: Looking, watch: RepoWatch, key: string, worker: Worker): Promise<Brought> {
  try {
    const found = await watch.after(key)
    if (found === null) return NOTHING
    const { scrub } = parts
    const { diff, files, ...rest } = scrub === undefined ? found : await scrubbed(found, value => scrub(place.tenant, value))
    const changed: ToldChange = { ...worker, change: { ...rest, diff: digestBytes(diff), files } }
    return { objects: [diff], changed }
  } catch (error) {
    if (!(error instanceof Fault)) parts.failed(error as Error, place)
    const { message } = error instanceof Fault ? error : new Fault('repo_unwatched', { reason: 'something went wrong in the host' })
    return { objects: [], changed: { ...worker, unknown: message } }
  }
}

async function scrubbed({ diff, files, ...rest }: RepoChange, scrub: (value: Json) => Promise<Json>): Promise<RepoChange> {
  const text = textOf(diff)
  const said = String(await scrub(text.said))
  const listed = (await scrub(files as unknown as Json)) as unknown as readonly ChangedFile[]
  return { ...rest, diff: text.bytesOf(said), files: listed }
}

/** Bytes that are not UTF-8 are scrubbed with one character per byte, so that none is lost. */
function textOf(bytes: Uint8Array): { readonly said: string; bytesOf(text: string): Uint8Array } {
  try {
    return {
      said: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
      bytesOf: text => new TextEncoder().encode(text),
    }
  } catch {
    const said = Array.from(bytes, byte => String.fromCharCode(byte)).join('')
    return { said, bytesOf: text => Uint8Array.from(text, character => character.charCodeAt(0)) }
  }
}
