// @ts-check
// Folds a long stream in a process of its own and says how much memory that took.
import { openStore, TENANT } from './story.mjs'

const store = openStore(process.argv[2] ?? '.')
const started = performance.now()
let [events, tokens, half] = [0, 0, 0]
for await (const { event } of store.read(TENANT, 'run/long', -1)) {
  tokens += /** @type {{ tokens: { in: number } }} */ (event.payload).tokens.in
  if (++events === 100_000) half = process.resourceUsage().maxRSS
}
const ms = performance.now() - started
await store.close()
process.stdout.write(JSON.stringify({ events, tokens, ms, earlyMb: half / 1024, rssMb: process.resourceUsage().maxRSS / 1024 }))
