// What events only name, looked up: each object once. What was erased is null, and whoever shows it says so.
import { ClientError } from '../../client/index.ts'
import type { Digest, Json } from '../../core/digest/digest.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import type { Asked } from '../../core/tools/asked-calls.ts'
import { askedOf, lineTools } from '../../engine/turns/asked.ts'
import { Fault } from '../../errors.ts'
import type { RecordedRuns } from './watched-runs.ts'

export interface Bodies {
  bytes(digest: Digest): Promise<Uint8Array | null>
  text(digest: Digest): Promise<string | null>
  json<T>(digest: Digest): Promise<T | null>
  /** Of a message: what is said in it. */
  said(digest: Digest): Promise<string | null>
  /** Of a reply: what it asks for, and what is said beside that. */
  asked(reply: Digest, step: ShownTools): Promise<Asked | null>
  /** Names of the tools that are called by line in a step; null when none is. */
  lineTools(step: ShownTools): Promise<ReadonlySet<string> | null>
}

/** How a step's tools are called, and which they are. */
export type ShownTools = Parameters<typeof lineTools>[1]

export function bodiesOf({ object }: Pick<RecordedRuns, 'object'>): Bodies {
  const known = new Map<Digest, Promise<Uint8Array | null>>()
  const bytes = (digest: Digest): Promise<Uint8Array | null> => {
    const found =
      known.get(digest) ??
      object(digest).catch(error => {
        if ((error instanceof Fault || error instanceof ClientError) && error.code === 'object_missing') return null
        throw error
      })
    known.set(digest, found)
    return found
  }
  const text = async (digest: Digest): Promise<string | null> => {
    const found = await bytes(digest)
    return found === null ? null : new TextDecoder().decode(found)
  }
  // Of tools that were erased no line is a call, so all of them stay visible.
  const catalog = async (digest: Digest): Promise<Uint8Array> => (await bytes(digest)) ?? new TextEncoder().encode('{"tools":[]}')
  return {
    bytes,
    text,
    async json<T>(digest: Digest) {
      const found = await text(digest)
      return found === null ? null : (JSON.parse(found) as T)
    },
    async said(digest) {
      const found = await bytes(digest)
      const read = found === null ? null : readMessages(found)
      if (!read?.ok) return null
      return read.messages.flatMap(({ content }) => content.flatMap(part => (part.type === 'text' ? [part.text] : []))).join('')
    },
    async asked(reply, step) {
      const found = await bytes(reply)
      return found === null ? null : askedOf(catalog, step, found)
    },
    lineTools: step => lineTools(catalog, step),
  }
}

/** What each of the last nodes gave, by node. */
export async function outputsIn(bodies: Bodies, outputs: Digest): Promise<Readonly<Record<string, Json>>> {
  const named = await bodies.json<{ readonly nodes: Readonly<Record<string, Digest>> }>(outputs)
  const given: [string, Json][] = []
  for (const [nodeId, digest] of Object.entries(named?.nodes ?? {}))
    given.push([nodeId, (await bodies.json<{ readonly output: Json }>(digest))?.output ?? null])
  return Object.fromEntries(given)
}
