// @ts-check
// Embeds the record in an application: a conversation is written down, its words as objects, and signed.
import { mkdirSync } from 'node:fs'
import { fileKeyring, sealStore, sqliteStore } from 'onbook'
import { digestBytes } from 'onbook/core'

const [folder = '.onbook'] = process.argv.slice(2)
const clock = () => new Date().toISOString()
mkdirSync(folder, { recursive: true, mode: 0o700 })
const store = sqliteStore(`${folder}/onbook.db`, clock)

const said = [
  ['ada', 'What do our terms say about refunds?'],
  ['model:scripted', 'Refunds are given within 30 days.'],
]
for (const [actor = '', text = ''] of said) {
  const words = new TextEncoder().encode(text)
  const { seq } = await store.head('default', 'conversation/1')
  // The object and the event that speaks of it are written together, or not at all.
  await store.commit({
    tenant: 'default',
    objects: [words],
    appends: [
      { stream: 'conversation/1', expected: seq, entries: [{ type: 'message.said', actor, payload: { words: digestBytes(words) } }] },
    ],
  })
}

await sealStore(store, fileKeyring(`${folder}/keys`, clock))
await store.close()
console.log(`Wrote ${said.length} events to ${folder}.`)
