// Reads the objects that events name, each once. An erased object is null; the caller reports it.
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
  /** The text of a message. */
  said(digest: Digest): Promise<string | null>
  /** The tool calls of a reply, and its other text. */
  asked(reply: Digest, step: ShownTools): Promise<Asked | null>
  /** Names of the tools that a step calls by line; null when it calls none that way. */
  lineTools(step: ShownTools): Promise<ReadonlySet<string> | null>
}

/** The tools of a step, and how the model calls them. */
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
  // With an erased catalog no line counts as a call, so all lines stay visible.
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

/** The outputs of the last nodes, by node. */
export async function outputsIn(bodies: Bodies, outputs: Digest): Promise<Readonly<Record<string, Json>>> {
  const named = await bodies.json<{ readonly nodes: Readonly<Record<string, Digest>> }>(outputs)
  const given: [string, Json][] = []
  for (const [nodeId, digest] of Object.entries(named?.nodes ?? {}))
    given.push([nodeId, (await bodies.json<{ readonly output: Json }>(digest))?.output ?? null])
  return Object.fromEntries(given)
}
