// @ts-check
// npm run bench -- host [calls sizes streams clients prompt] [--templates N] [--full]: the host beside a bare node:http server, a large
// library beside a small one, idle streams, our client beside another, and the effective prompt beside a bare render.
import { parseArgs } from 'node:util'
import { benchCalls } from './host/calls.mjs'
import { benchClients } from './host/clients.mjs'
import { benchEffectivePrompt } from './host/effective-prompt.mjs'
import { benchSizes } from './host/sizes.mjs'
import { benchStreams } from './host/streams.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { templates: { type: 'string' }, full: { type: 'boolean', default: false } },
})
const templates = Number(values.templates ?? (values.full ? 1_000_000 : 100_000))

/** @type {Readonly<Record<string, () => Promise<void>>>} */
const parts = {
  calls: benchCalls,
  sizes: () => benchSizes(templates),
  streams: benchStreams,
  clients: benchClients,
  prompt: benchEffectivePrompt,
}
for (const [name, bench] of Object.entries(parts)) if (positionals.length === 0 || positionals.includes(name)) await bench()
