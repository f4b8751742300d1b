// A run that is told secrets and says them aloud, in a host of its own: they are nowhere afterwards. All the other ways are in secret-scan.deep.test.ts.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LeakyHost, leakyHost, plantedOf, trustedValues } from './testing/secrets/leaky-host.ts'
import { filesIn, foundIn, type Place, plantedValue, rowsIn } from './testing/secrets/planted.ts'
import { endOf, publishAll, startTold, tellingProvider } from './testing/secrets/told-everything.ts'

const trusted = trustedValues()
const canary = plantedValue('-')
let host: LeakyHost
let places: readonly Place[]
beforeAll(async () => {
  host = await leakyHost(trusted, canary, tellingProvider(trusted, canary))
  await host.start()
  await publishAll(host, canary, ['speaker', 'caller'], ['told'])
  const runId = await startTold(host, 'told')
  expect(await endOf(host, runId)).toBe('completed')
  await host.ask('GET', `/v1/runs/${runId}:export`)
  await host.stop()
  const kept = filesIn(host.data, path => path === 'secrets.json' || path.startsWith('changes/'))
  places = [...host.said, ...kept, ...rowsIn(join(host.data, 'onbook.db'))]
}, 120_000)
afterAll(() => host.close())

it('no secret is in the record, an answer, a stream or a log line', () => expect(foundIn(places, plantedOf(trusted))).toEqual([]))

it('what is no secret is there', () => {
  const found = foundIn(places, [{ name: 'canary', value: canary }])
  for (const where of ['onbook.db', 'table objects', 'stream /v1/runs/', ':export']) expect(found.join('\n')).toContain(where)
})
