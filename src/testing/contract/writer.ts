// Writes to a store as fast as it can, from several callers, and says on standard output what was acknowledged.
import { writeSync } from 'node:fs'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import type { Store } from '../../ports.ts'

export const TENANT = 'acme'
const CALLERS = 8

/**
 * Never returns: it is meant to be killed. Every other event goes to a stream that all writers share; each references its body through a
 * node.
 */
export async function writeUntilKilled(store: Store, name: string): Promise<void> {
  const write = async (caller: number): Promise<void> => {
    let before: Digest | null = null
    for (let n = 0; ; n++) {
      const stream = n % 2 === 0 ? 'shared' : `${name}/${caller}`
      const object = new TextEncoder().encode(`${name} ${caller} ${n}`)
      const body = digestBytes(object)
      const node: Uint8Array = new TextEncoder().encode(JSON.stringify({ $node: 'list', body, before }))
      const { seq } = await store.head(TENANT, stream)
      const entry = { type: n % 7 === 6 ? 'thing.undone' : 'thing.happened', actor: name, payload: { n, body: digestBytes(node) } }
      try {
        const objects = [node, object]
        const { heads } = await store.commit({ tenant: TENANT, objects, appends: [{ stream, expected: seq, entries: [entry] }] })
        before = digestBytes(node)
        // Only what was acknowledged is said, and it is said before anything else happens.
        writeSync(1, `${stream} ${heads[0]!.seq} ${heads[0]!.digest} ${body}\n`)
      } catch (error) {
        if ((error as { code?: string }).code !== 'stream_moved') throw error
      }
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => write(caller)))
}

export interface Acknowledged {
  readonly stream: string
  readonly seq: number
  readonly head: string
  readonly body: Digest
}

/** The last line may be torn: it was not said whole, so nothing was promised. */
export const acknowledgedIn = (text: string): readonly Acknowledged[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => {
      const [stream, seq, head, body] = line.split(' ')
      return { stream: stream!, seq: Number(seq), head: head!, body: body as Digest }
    })
