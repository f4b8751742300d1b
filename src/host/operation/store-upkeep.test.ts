// Tests the readiness of a host while its disk is full, and how long it stores answers for retries.
import { afterAll, expect, it } from 'vitest'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { pruneAnswers } from '../../engine/record/prune-answers.ts'
import { Fault } from '../../errors.ts'
import { startHost, type TestHost, template } from '../../testing/hosts/start-host.ts'
import { clock, freshPath } from '../../testing/stores/sqlite-place.ts'

const hosts: TestHost[] = []
afterAll(() => Promise.all(hosts.map(host => host.close())))

it('reliability D22: /readyz is 503 with the reason while the store cannot be written, and /healthz stays 200', async () => {
  const store = sqliteStore(freshPath(), clock, PRODUCT_PROJECTIONS)
  const full = {
    ...store,
    probe: async () => {
      throw new Fault('store_full', { path: '/a/path/of/this/machine' })
    },
  }
  const host = await startHost({}, { store: full })
  hosts.push(host)
  const { status, body } = await host.ask('GET', '/readyz', { key: null })
  expect([status, body.ok, body.reasons.length, body.reasons[0].code]).toEqual([503, false, 1, 'store_full'])
  expect(JSON.stringify(body)).not.toContain('machine')
  expect((await host.ask('GET', '/healthz', { key: null })).status).toBe(200)
})

it('reliability D22: answers under an Idempotency-Key are forgotten when they are old, and not before', async () => {
  const host = await startHost()
  hosts.push(host)
  expect((await host.ask('GET', '/readyz', { key: null })).body).toEqual({ ok: true })
  const publish = (id: string) => host.ask('POST', '/v1/prompts', { body: template(id), headers: { 'idempotency-key': id } })
  const ids = Array.from({ length: 20 }, (_, index) => `t${index}`)
  for (const id of ids) expect((await publish(id)).status).toBe(201)
  const inDays = (days: number) => () => new Date(Date.now() + days * 86_400_000).toISOString()
  expect(await pruneAnswers(host.store, inDays(6))).toBe(0)
  expect((await publish('t3')).headers.get('openwop-idempotent-replay')).toBe('true')
  expect(await pruneAnswers(host.store, inDays(8))).toBe(ids.length)
  const { status, headers } = await publish('t3')
  expect([status, headers.get('openwop-idempotent-replay')]).toEqual([409, null])
})
