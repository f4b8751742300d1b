// Tests the metrics: labels are our own names, for any input of callers.
import { expect, it } from 'vitest'
import { startHost } from '../../testing/hosts/start-host.ts'

it('counts requests by the pattern of their route, and never by what was asked for', async () => {
  const host = await startHost()
  for (let n = 0; n < 20; n++) {
    await host.ask('GET', `/v1/prompts/secret-name-${n}`)
    await host.ask('GET', `/v1/nothing-here-${n}`)
  }
  await host.ask('PROPFIND', '/v1/nothing-here')
  await host.ask('GET', '/v1/prompts', { key: null })
  const { body, headers } = await host.ask('GET', '/metrics')
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(body).toContain('onbook_http_request_duration_seconds_count{method="GET",route="/v1/prompts/:templateId",status="404"} 20')
  expect(body).toContain('onbook_http_request_duration_seconds_count{method="any",route="none",status="404"} 21')
  expect(body).toContain('onbook_authentication_failures_total 1')
  expect(body).toContain('process_resident_memory_bytes')
  for (const name of ['secret-name', 'nothing-here', 'PROPFIND', 'acme', host.key.slice(7, 23)]) expect(body).not.toContain(name)
  await host.close()
})

it('has the text format that its readers parse', async () => {
  const host = await startHost()
  await host.ask('GET', '/v1/prompts')
  const { body } = await host.ask('GET', '/metrics')
  const line = /^(?:# (?:HELP|TYPE) [a-z0-9_]+ .*|[a-z0-9_]+(?:\{(?:[a-z_]+="[^"\n]*",?)+\})? (?:-?[0-9.e+-]+|nan|\+inf))$/i
  expect(
    String(body)
      .trimEnd()
      .split('\n')
      .filter(text => text !== '' && !line.test(text)),
  ).toEqual([])
  await host.close()
})

it('counts who was refused for asking too often, by which limit', async () => {
  const host = await startHost({}, { limits: { failuresPerMinute: 1 } })
  for (let n = 0; n < 3; n++) await host.ask('GET', '/v1/prompts', { key: null })
  expect((await host.ask('GET', '/metrics')).body).toContain('onbook_rate_limited_total{scope="address"} 2')
  await host.close()
})
