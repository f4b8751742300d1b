import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scrubKnown } from './scrub-known.ts'

const ENVIRONMENT = {
  OPENAI_API_KEY: 'sk-openai',
  ONBOOK_SECRET_PIN: '4711',
  DEPLOY_TOKEN: 'deploy-token-value',
  SHORT_KEY: 'true',
  PLAIN: 'a plain value',
}

it('takes out keys of providers, declared secrets, and what is named like one', async () => {
  const scrub = scrubKnown({ environment: ENVIRONMENT })
  const said = { 'sk-openai': ['pin 4711', { deep: 'deploy-token-value!' }], plain: 'true, a plain value', count: 4711 }
  expect(await scrub('default', said)).toEqual({
    '[REDACTED]': ['pin [REDACTED]', { deep: '[REDACTED]!' }],
    plain: 'true, a plain value',
    count: 4711,
  })
})

it('takes out the secrets of the tenant, by their names, as they are at that moment', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'onbook-scrub-')), 'secrets.json')
  const scrub = scrubKnown({ environment: {}, file })
  expect(await scrub('acme', 'hunter2')).toBe('hunter2')
  writeFileSync(file, JSON.stringify({ acme: { db: 'hunter2', count: 1 }, other: { db: 'swordfish' } }))
  chmodSync(file, 0o600)
  expect(await scrub('acme', 'hunter2 swordfish')).toBe('[REDACTED:db] swordfish')
  chmodSync(file, 0o644)
  await expect(scrub('acme', 'hunter2')).rejects.toMatchObject({ code: 'key_exposed' })
})
