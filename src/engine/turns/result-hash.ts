// The hash by which the results of two calls are compared: the stored message without the id of its call.
import { type Digest, digestJson, type Json } from '../../core/digest/digest.ts'

interface StoredResult {
  readonly content: readonly { readonly callId?: string }[]
}

export function resultHash(bytes: Uint8Array): Digest {
  const { content } = JSON.parse(new TextDecoder().decode(bytes)) as StoredResult
  return digestJson(content.map(({ callId: _, ...part }) => part) as unknown as Json)
}
