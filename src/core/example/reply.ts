// What a model said, read as the one JSON value it was asked for.
import type { Json } from '../digest/digest.ts'

export type ReadReply = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string }

const FENCED = /^\s*```(?:json)?[ \t]*\n([\s\S]*?)\n\s*```\s*$/

/** `fences`: accept a reply that is one code fence with JSON in it. */
export function readReply(text: string, options: { readonly fences?: boolean } = {}): ReadReply {
  const fenced = FENCED.exec(text)?.[1]
  if (fenced !== undefined && !options.fences)
    return { ok: false, message: 'The reply is inside a code fence, not plain JSON (accept it with --fences)' }
  try {
    return { ok: true, value: JSON.parse(fenced ?? text) }
  } catch (error) {
    return { ok: false, message: `The reply is not JSON: ${(error as Error).message} — it begins ${JSON.stringify(text.slice(0, 60))}` }
  }
}
