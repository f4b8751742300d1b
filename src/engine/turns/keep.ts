// Collects texts for the record, each once, under their digests.
import { type Digest, digestText } from '../../core/digest/digest.ts'
import type { StoredText } from '../../core/session/history.ts'

export interface Keeper {
  keep(text: string): Digest
  /** For a text whose name is known already. */
  keepAs(digest: Digest, text: string): Digest
  texts(): readonly StoredText[]
}

export type Keep = Keeper['keep']

export function keeper(): Keeper {
  const texts = new Map<Digest, string>()
  const keepAs = (digest: Digest, text: string): Digest => {
    texts.set(digest, text)
    return digest
  }
  return {
    keepAs,
    keep: text => keepAs(digestText(text), text),
    texts: () => [...texts].map(([digest, text]) => ({ digest, text })),
  }
}
