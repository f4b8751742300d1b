// Strong entity tags over the canonical JSON of a response. RFC 9110, sections 8.8 and 13.1.
import type { Digest } from '../../core/digest/digest.ts'

export const tagOf = (digest: Digest): string => `"${digest}"`

const TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g

const opaqueTags = (header: string): readonly { readonly weak: boolean; readonly tag: string }[] =>
  [...header.matchAll(TAG)].map(match => ({ weak: match[1] !== undefined, tag: `"${match[2]}"` }))

/** If-None-Match compares weakly: a W/ prefix is ignored. */
export const isUnchanged = (header: string | undefined, tag: string): boolean =>
  header !== undefined && (header.trim() === '*' || opaqueTags(header).some(one => one.tag === tag))

/** If-Match compares strongly: a weak tag never matches. */
export const isSame = (header: string, tag: string): boolean =>
  header.trim() === '*' || opaqueTags(header).some(one => !one.weak && one.tag === tag)
