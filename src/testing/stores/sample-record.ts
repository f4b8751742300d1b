// A small record in a new folder, as an application would have left it: for tests of the command line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileKeyring } from '../../adapters/keys/file-keyring.ts'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { digestBytes, type Json } from '../../core/digest/digest.ts'
import { sealStore } from '../../engine/record/seal.ts'
import { clock } from './sqlite-place.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Text that a terminal would act on: a colour, a bell, a window title, a C1 sequence, a text that runs backwards. */
export const HOSTILE = '\u001b[31mred\u0007\u001b]0;title\u0007\u009b5n\u007f \u202egnp.exe'
export const OBJECTS = {
  text: encode('Refunds are given within 30 days.\n'),
  binary: new Uint8Array([0, 255, 254, 128, 10, 13, 0]),
  big: new Uint8Array(Buffer.alloc(1_500_000, 'a big object ')),
  hostile: encode(HOSTILE),
}
export type ObjectName = keyof typeof OBJECTS
export const nameOf = (object: ObjectName) => digestBytes(OBJECTS[object])

/** `talk`: one event for each object. `odd`: a hostile payload. Another tenant has an object of its own. Everything is signed. */
export async function sampleRecord(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-record-'))
  const path = join(folder, 'onbook.db')
  const store = sqliteStore(path, clock)
  const entry = (payload: Json) => ({ type: 'message.said', actor: 'ada', payload })
  await store.commit({
    tenant: 'default',
    objects: Object.values(OBJECTS),
    appends: [
      { stream: 'talk', expected: -1, entries: Object.values(OBJECTS).map(bytes => entry({ words: digestBytes(bytes) })) },
      { stream: 'odd', expected: -1, entries: [entry({ text: HOSTILE })] },
    ],
  })
  const theirs = encode('not yours')
  await store.commit({
    tenant: 'umbrella',
    objects: [theirs],
    appends: [{ stream: 'secret', expected: -1, entries: [entry({ words: digestBytes(theirs) })] }],
  })
  await sealStore(store, fileKeyring(join(folder, 'keys'), clock))
  await store.close()
  for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true }) // one driver leaves them there, empty
  return folder
}

/** One more event, in a process that is not the command line's. */
export async function appendTo(folder: string, stream: string, payload: Json): Promise<void> {
  const store = sqliteStore(join(folder, 'onbook.db'), clock)
  const { seq } = await store.head('default', stream)
  await store.commit({
    tenant: 'default',
    appends: [{ stream, expected: seq, entries: [{ type: 'message.said', actor: 'ada', payload }] }],
  })
  await store.close()
}
