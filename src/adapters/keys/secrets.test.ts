import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { environmentSecrets, fileSecrets, onlySecrets, secretsFrom, tenantSecrets } from './secrets.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onbook-secrets-'))
  path = join(folder, 'secrets.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (text: string, mode = 0o600) => {
  writeFileSync(path, text)
  chmodSync(path, mode)
}

describe('environmentSecrets', () => {
  it('finds an id by its variable, and nothing else of the environment', async () => {
    const { get } = environmentSecrets({ ONBOOK_SECRET_DB_KEY_2: 'value', HOME: '/root' })
    expect(await get('db.key-2')).toBe('value')
    expect(await get('HOME')).toBeNull()
    expect(await get('__proto__')).toBeNull()
  })
})

describe('tenantSecrets', () => {
  it('gives a tenant what is its own, and nothing of another or of the file itself', async () => {
    write('{"acme":{"a":"ours"},"umbrella":{"a":"theirs","b":"only theirs"},"flat":"text"}')
    const { get } = tenantSecrets(path, 'acme')
    expect(await get('a')).toBe('ours')
    expect(await get('b')).toBeNull()
    expect(await get('constructor')).toBeNull()
    expect(await tenantSecrets(path, '__proto__').get('a')).toBeNull()
    expect(await tenantSecrets(path, 'flat').get('0')).toBeNull()
    chmodSync(path, 0o640)
    await expect(get('a')).rejects.toMatchObject({ code: 'key_exposed' })
  })
})

describe('fileSecrets', () => {
  it('reads the file anew each time', async () => {
    const { get } = fileSecrets(path)
    expect(await get('a')).toBeNull()
    write('{"a":"one","b":7}')
    expect(await get('a')).toBe('one')
    write('{"a":"two"}')
    expect(await get('a')).toBe('two')
    expect(await get('b')).toBeNull()
    expect(await get('constructor')).toBeNull()
  })

  it.each([0o640, 0o604, 0o620, 0o644])('refuses a file that others can reach (%o)', async mode => {
    write('{"a":"one"}', mode)
    await expect(fileSecrets(path).get('a')).rejects.toMatchObject({ code: 'key_exposed' })
  })

  it.each(['["tell-tale"]', '{"a":"tell-tale"', '"tell-tale"'])('refuses %s without quoting it', async text => {
    write(text)
    const failed = await fileSecrets(path)
      .get('a')
      .catch(error => error)
    expect(failed).toMatchObject({ code: 'file_unreadable' })
    expect(`${failed.message} ${failed.stack} ${failed.cause}`).not.toContain('tell-tale')
  })
})

describe('several sources', () => {
  const one = environmentSecrets({ ONBOOK_SECRET_A: '1' })
  const two = environmentSecrets({ ONBOOK_SECRET_A: '2', ONBOOK_SECRET_B: '2' })

  it('are asked in order', async () => {
    const { get } = secretsFrom(one, two)
    expect([await get('a'), await get('b'), await get('c')]).toEqual(['1', '2', null])
  })

  it('can be narrowed to what may be asked for', async () => {
    const { get } = onlySecrets(two, ['b'])
    expect([await get('a'), await get('b')]).toEqual([null, '2'])
  })
})
