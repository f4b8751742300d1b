// The messages before the history of a step, each with its source files. A message that no file of the version contains has no file.
import { type BlamedMessage, fromComposed, fromMessages, unplaced } from '../../core/blame/blamed-message.ts'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import { filesOfContext, indexIn } from '../../core/lint/layout.ts'
import type { ChatMessage } from '../../core/messages/message.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import { filesOf, isImage } from '../../core/prelude/compile.ts'
import { readPrelude } from '../../core/prelude/prelude.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { INDEX_FILE, preludePath } from '../../core/workspace/index-file.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Origin, Origins } from './origins.ts'
import type { VersionFiles } from './version-files.ts'

export interface PreludeMessage extends BlamedMessage, Pick<Origin, 'reason'> {
  readonly digest: Digest
  /** `workspace`: of the prelude that is named. `run`: the run names its messages itself. */
  readonly from: 'workspace' | 'run'
  readonly name: string | null
}

export async function blamePrelude(
  store: Store,
  tenant: string,
  digests: readonly Digest[],
  snapshot: Snapshot | null,
  origins: Origins,
): Promise<readonly PreludeMessage[]> {
  const blamed: PreludeMessage[] = []
  const { prelude = null } = snapshot ?? {}
  for (const digest of digests) {
    const bytes = await store.object(tenant, digest)
    const read = readMessages(bytes)
    if (!read.ok) throw new Fault('object_malformed', { digest, problem: read.problem.message })
    const isOurs = prelude?.digest === digest
    const placed = isOurs ? await placedIn(await origins.files(), prelude.name, digest, read.messages) : null
    const unfound = isOurs
      ? (await origins.unfound(`makes its prelude ${prelude.name}`)).origin.reason
      : 'the run names this message itself'
    const named = { digest, from: isOurs ? 'workspace' : 'run', name: isOurs ? prelude.name : null } as const
    for (const message of placed ?? unplaced(read.messages)) blamed.push({ ...named, ...message, reason: placed === null ? unfound : null })
  }
  return blamed
}

/** Null unless the files of the version make these very messages. */
async function placedIn(
  files: VersionFiles | null,
  name: string,
  digest: Digest,
  messages: readonly ChatMessage[],
): Promise<readonly BlamedMessage[] | null> {
  const index = indexIn(new Map([[INDEX_FILE, (await files?.text(INDEX_FILE)) ?? '']]))
  const path = preludePath(index, name)
  const text = (await files?.text(path)) ?? null
  if (files === null || text === null) return null
  const bytes = new TextEncoder().encode(text)
  const read = readPrelude(bytes)
  if (!read.ok) return null
  if (read.prelude.kind === 'messages') return digestBytes(bytes) === digest ? fromMessages(path, text, messages) : null
  const paths = new Set(files.paths)
  const context = read.prelude.prelude.context.flatMap(entry => filesOfContext(entry, index, paths))
  const prelude = { ...read.prelude.prelude, context }
  const texts = new Map<string, string>()
  for (const one of filesOf(prelude)) if (!isImage(one)) texts.set(one, (await files.text(one)) ?? '')
  const made = fromComposed(prelude, texts)
  return made !== null && textsOf(made) === textsOf(unplaced(messages)) ? made : null
}

const textsOf = (messages: readonly BlamedMessage[]): string =>
  JSON.stringify(messages.map(({ role, spans }) => [role, spans.map(({ text }) => text).join('')]))
