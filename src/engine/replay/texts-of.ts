// Loads the texts that two recordings of one step name. Texts that were just remade are in memory; only differing ones are read.
import type { Digest } from '../../core/digest/digest.ts'
import type { TextOf, ToldEvent } from '../../core/replay/compare-told.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

export async function textsOf(
  store: Store,
  tenant: string,
  made: readonly StoredText[],
  recorded: { readonly told: readonly ToldEvent[]; readonly prompt: PromptRecord },
): Promise<TextOf> {
  const texts = new Map<Digest, string | null>(made.map(({ digest, text }) => [digest, text]))
  const { full, segments, blocks } = recorded.prompt
  const told = recorded.told.map(event => (event.type === 'prompt.traced' ? event.trace : event.body))
  for (const digest of [full, segments, ...Object.values(blocks), ...told])
    if (!texts.has(digest)) texts.set(digest, await textAt(store, tenant, digest))
  return digest => texts.get(digest) ?? null
}

/** Null when the object is missing or damaged: its event reports that. */
export async function textAt(store: Store, tenant: string, digest: Digest): Promise<string | null> {
  try {
    return new TextDecoder().decode(await store.object(tenant, digest))
  } catch (error) {
    if (error instanceof Fault) return null
    throw error
  }
}
