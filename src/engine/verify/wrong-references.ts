// Compares the references in an event or a node with those that the store has noted: they must be exactly the same.
import type { Digest } from '../../core/digest/digest.ts'
import type { BreakCode } from '../../core/record/walk.ts'

export interface WrongReference {
  readonly digest: string
  readonly code: BreakCode
}

/** @param noted the store's references, with an empty name for an erased object */
export function wrongReferences(spoken: readonly Digest[], noted: readonly string[]): readonly WrongReference[] {
  if (spoken.length === 0 && noted.length === 0) return NONE
  const [said, known] = [new Set<string>(spoken), new Set(noted)]
  const missing = spoken.filter(digest => !known.has(digest))
  const unknown = noted.filter(digest => digest !== NAMELESS && !said.has(digest))
  // A reference to an object whose row is gone has no name any more.
  const vanished = noted.filter(digest => digest === NAMELESS).length
  const surplus = Array.from({ length: Math.max(0, vanished - missing.length) }, () => NAMELESS)
  return [
    ...missing.map((digest, index) => ({ digest, code: index < vanished ? ('object_missing' as const) : ('reference_missing' as const) })),
    ...[...unknown, ...surplus].map(digest => ({ digest, code: 'reference_unknown' as const })),
  ]
}

const NONE: readonly never[] = []
const NAMELESS = ''
