// Tests where the host may listen: decided before anything is bound.
import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { clock } from '../../book/record-folder.ts'
import { HOST_ACTOR, SCOPES } from '../../core/access/keys.ts'
import { createKey, hasOperatorKey, revokeKey } from '../../engine/access/access.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { runCli } from '../../testing/hosts/run-cli.ts'
import { bindingOf, bindProblem, isLoopback } from './bind.ts'

describe('an address', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost'])('%s is on this machine', address => expect(isLoopback(address)).toBe(true))
  it.each(['0.0.0.0', '::', '192.168.1.7', 'onbook.example', '127.0.0.1.example', '::ffff:127.0.0.1', '128.0.0.1', ''])(
    '"%s" is not, for all we know',
    address => expect(isLoopback(address)).toBe(false),
  )
})

describe('listening elsewhere', () => {
  const binding = (more: object = {}) => bindingOf({ host: '0.0.0.0', ...more })

  it('needs a name and a key that a person made', () => {
    expect(bindProblem(binding(), true)).toContain('--public-url')
    expect(bindProblem(binding({ allowHost: ['onbook.example:8080'] }), false)).toContain('onbook key create')
    expect(bindProblem(binding({ allowHost: ['onbook.example:8080'] }), true)).toBeNull()
    expect(bindProblem(binding({ publicUrl: 'https://onbook.example' }), true)).toBeNull()
  })

  it('needs neither on this machine', () => expect(bindProblem(bindingOf({}), false)).toBeNull())

  it('knows the names it is reached by', () => {
    const { hosts, publicUrl } = binding({ publicUrl: 'https://Onbook.example:8443/', allowHost: ['10.0.0.7:4680'] })
    expect([hosts, publicUrl]).toEqual([['10.0.0.7:4680', 'onbook.example:8443'], 'https://onbook.example:8443'])
  })

  const wrong: readonly [string, object][] = [
    ['a path', { publicUrl: 'https://onbook.example/path' }],
    ['no URL', { publicUrl: 'onbook.example' }],
    ['another protocol', { publicUrl: 'ftp://onbook.example' }],
    ['a URL for a name', { allowHost: ['https://onbook.example'] }],
    ['a star', { allowHost: ['*'] }],
  ]
  it.each(wrong)('refuses %s', (_, input) => expect(() => binding(input)).toThrow(Fault))
})

describe('a key that a person made', () => {
  const randomness = (bytes: number, as: 'hex' | 'base64url') => randomBytes(bytes).toString(as)
  const make = (store: Store, actor: string, expiresAt: string | null = null) =>
    createKey(store, randomness, { tenant: 'acme', scopes: SCOPES, actor, expiresAt })

  it('is neither one of the host itself, nor revoked, nor over', async () => {
    const store = memoryStore(clock, PRODUCT_PROJECTIONS)
    await make(store, HOST_ACTOR)
    await make(store, 'cli:ada', '2020-01-01T00:00:00.000Z')
    expect(await hasOperatorKey(store, clock)).toBe(false)
    const { id } = await make(store, 'cli:ada')
    expect(await hasOperatorKey(store, clock)).toBe(true)
    await revokeKey(store, id, 'cli:ada')
    expect(await hasOperatorKey(store, clock)).toBe(false)
  })
})

describe('onbook host serve', () => {
  it('refuses to listen elsewhere until there are a name and a key, and says what to do', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'onbook-bind-'))
    const serve = (...more: string[]) => runCli(['serve', '--port', '0', '--host', '192.0.2.1', ...more], { cwd })
    expect(await serve()).toMatchObject({ code: 2, err: expect.stringContaining('--allow-host') })
    const named = ['--allow-host', 'onbook.example']
    expect(await serve(...named)).toMatchObject({ code: 2, err: expect.stringContaining('onbook key create') })
    const { id } = JSON.parse((await runCli(['keys', 'create', '--json'], { cwd })).out) as { id: string }
    // An address reserved for documentation, which no machine has: the decision is visible, and nothing is bound.
    expect((await serve(...named)).err).toMatch(/EADDRNOTAVAIL/)
    await runCli(['keys', 'revoke', id], { cwd })
    expect(await serve(...named)).toMatchObject({ code: 2, err: expect.stringContaining('onbook key create') })
  })
})
