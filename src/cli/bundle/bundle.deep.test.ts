// Tests bundles on the command line: built, signed, verified, installed. OpenSSL checks the signatures where it is installed.
import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const NAME = 'vendor.acme.prompts'
const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const openssl = (cwd: string, ...args: string[]) => execFileSync('openssl', args, { cwd, stdio: 'pipe' })
let made: string

/** A workspace with its signed bundle, and the key beside it. */
beforeAll(async () => {
  made = temporaryFolder(null)
  await runCli(['init', '.'], { cwd: made })
  await runCli(['bundle', 'build', '--name', NAME, '--version', '1.0.0', '--output', 'out'], { cwd: made })
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(join(made, 'acme.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
  writePrivate(made, 'private.pem', privateKey)
  const { code, err } = await runCli(['bundle', 'sign', 'out', '--key', 'private.pem'], { cwd: made })
  expect([code, err]).toEqual([0, ''])
})

function writePrivate(folder: string, name: string, key: KeyObject): void {
  writeFileSync(join(folder, name), key.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
}

const fresh = (files: Readonly<Record<string, string>> = {}) => temporaryFolder(made, files)
const bundle = async (cwd: string, ...args: string[]) => {
  const { code, out, err } = await runCli(['bundle', ...args, '--json'], { cwd })
  return { code, err, json: out === '' ? null : JSON.parse(out) }
}
const codesOf = (problems: readonly { code: string }[]) => problems.map(({ code }) => code)
const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

describe('onbook bundle build', () => {
  it('gives the same bytes each time, and what it gives is sound', async () => {
    const cwd = fresh()
    const { code, json } = await bundle(cwd, 'build', '.', '--name', NAME, '--version', '1.0.0', '--output', 'again')
    expect([code, json.name]).toEqual([0, NAME])
    expect(read(cwd, 'again', 'pack.json')).toBe(read(made, 'out', 'pack.json'))
    expect(JSON.parse(read(cwd, 'again', 'pack.json')).prompts.map((one: { templateId: string }) => one.templateId)).toEqual([
      'summarizer',
      'summarizer.few-shot',
      'summarizer.schema-hint',
    ])
  })

  it('writes what it depends on', async () => {
    const cwd = fresh()
    const depends = ['--depends', 'vendor.a.b@^1.0.0', '--depends', 'vendor.c.d@*']
    await bundle(cwd, 'build', '--name', NAME, '--version', '2.0.0', '--output', 'next', '--description', 'Prompts.', ...depends)
    expect(JSON.parse(read(cwd, 'next', 'pack.json'))).toMatchObject({
      description: 'Prompts.',
      dependencies: { 'vendor.a.b': '^1.0.0', 'vendor.c.d': '*' },
    })
  })

  const wrong: readonly [why: string, code: number, args: readonly string[], said: string][] = [
    ['no name', 2, ['--version', '1.0.0', '--output', 'x'], '--name is needed'],
    ['a name that no ref could use', 2, ['--name', 'vendor.acme.Prompts', '--version', '1.0.0', '--output', 'x'], 'lower case'],
    ['a name without a scope', 2, ['--name', 'acme.prompts', '--version', '1.0.0', '--output', 'x'], 'begin with core, vendor'],
    ['a version that is none', 2, ['--name', NAME, '--version', '1', '--output', 'x'], '--version must be such as 1.0.0'],
    [
      'a dependency without a range',
      2,
      ['--name', NAME, '--version', '1.0.0', '--output', 'x', '--depends', 'vendor.a.b'],
      '--depends must be',
    ],
    ['a path that is not there', 2, ['nowhere', '--name', NAME, '--version', '1.0.0', '--output', 'x'], 'nowhere does not exist'],
  ]
  it.each(wrong)('refuses %s, and writes nothing', async (_, code, args, said) => {
    const cwd = fresh()
    expect(await runCli(['bundle', 'build', ...args], { cwd })).toMatchObject({ code, err: expect.stringContaining(said) })
    expect(existsSync(join(cwd, 'x'))).toBe(false)
  })

  it('refuses packs with errors', async () => {
    const pack = 'prompts/summarizer/v1.0.0.yaml'
    const cwd = fresh({ [pack]: read(made, pack).replace('{{', '{{nobody} {{') })
    const { code } = await bundle(cwd, 'build', '--name', NAME, '--version', '1.0.0', '--output', 'x')
    expect([code, existsSync(join(cwd, 'x'))]).toEqual([1, false])
  })
})

describe('onbook bundle sign', () => {
  it.runIf(hasOpenssl)('takes the keys that OpenSSL makes, signs as it does, and is believed by it', async () => {
    const cwd = fresh()
    openssl(cwd, 'genpkey', '-algorithm', 'ed25519', '-out', 'foreign.pem')
    openssl(cwd, 'pkey', '-in', 'foreign.pem', '-pubout', '-out', 'trusted.pem')
    openssl(cwd, 'pkeyutl', '-sign', '-inkey', 'foreign.pem', '-rawin', '-in', 'out/pack.json', '-out', 'foreign.sig')
    chmodSync(join(cwd, 'foreign.pem'), 0o600)
    expect((await bundle(cwd, 'sign', 'out', '--key', 'foreign.pem')).code).toBe(0)
    const { signature } = JSON.parse(read(cwd, 'out', 'pack.json.sig')) as { signature: string }
    expect(Buffer.from(signature, 'base64url')).toEqual(readFileSync(join(cwd, 'foreign.sig')))
    writeFileSync(join(cwd, 'ours.sig'), Buffer.from(signature, 'base64url'))
    const verify = ['pkeyutl', '-verify', '-pubin', '-inkey', 'trusted.pem', '-rawin', '-in', 'out/pack.json', '-sigfile', 'ours.sig']
    expect(openssl(cwd, ...verify).toString()).toContain('Verified')
    expect((await bundle(cwd, 'verify', 'out', '--trust-root', 'trusted.pem')).json.signedBy).toBe('trusted')
  })

  it('refuses keys that others can read, of another kind, and files that hold none', async () => {
    const cwd = fresh()
    chmodSync(join(cwd, 'private.pem'), 0o644)
    expect(await bundle(cwd, 'sign', 'out', '--key', 'private.pem')).toMatchObject({ code: 2, json: { error: 'key_exposed' } })
    writePrivate(cwd, 'rsa.pem', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
    expect((await bundle(cwd, 'sign', 'out', '--key', 'rsa.pem')).json.message).toContain('only Ed25519')
    writeFileSync(join(cwd, 'empty.pem'), '', { mode: 0o600 })
    expect(await bundle(cwd, 'sign', 'out', '--key', 'empty.pem')).toMatchObject({ code: 2, json: { error: 'file_unreadable' } })
    expect((await bundle(cwd, 'sign', 'out')).code).toBe(2)
  })

  it('does not sign what is wrong', async () => {
    const cwd = fresh({ 'bad/pack.json': '{"kind":"node"}' })
    const { code, json } = await bundle(cwd, 'sign', 'bad', '--key', 'private.pem')
    expect([code, codesOf(json.details.problems)]).toEqual([1, ['pack_kind_invalid']])
    expect(existsSync(join(cwd, 'bad', 'pack.json.sig'))).toBe(false)
  })
})

describe('onbook bundle verify', () => {
  it('says what is in it and who signed it, by the name of the file of the key', async () => {
    const cwd = fresh()
    const { code, json } = await bundle(cwd, 'verify', '--trust-root', 'acme.pem', 'out')
    expect([code, json]).toEqual([0, expect.objectContaining({ name: NAME, version: '1.0.0', signedBy: 'acme', problems: [] })])
    expect(json.templates).toContainEqual({ ref: 'prompt:summarizer@1.0.0', kind: 'system' })
    const { out } = await runCli(['bundle', 'verify', 'out/pack.json', '--trust-root', 'acme.pem'], { cwd })
    expect(out).toContain(`signed by acme (${json.key})`)
    for (const pinned of [json.digest, json.integrity])
      expect((await bundle(cwd, 'verify', 'out', '--trust-root', 'acme.pem', '--integrity', pinned)).code).toBe(0)
  })

  const spoilt: readonly [why: string, spoil: (cwd: string) => void, codes: readonly string[]][] = [
    ['a key that nobody trusts', () => undefined, ['bundle_key_unknown']],
    ['a signature that is gone', cwd => writeFileSync(join(trusted(cwd), 'pack.json.sig'), ''), ['bundle_signature_invalid']],
    [
      'bytes that were changed',
      cwd => writeFileSync(join(trusted(cwd), 'pack.json'), `${read(cwd, 'out', 'pack.json')} `),
      ['bundle_signature_invalid'],
    ],
    [
      'everything at once',
      cwd => writeFileSync(join(trusted(cwd), 'pack.json'), '{"kind":"prompt","name":"acme","agents":[]}'),
      ['bundle_signature_invalid', 'pack_kind_invalid', 'bundle_invalid'],
    ],
  ]
  it.each(spoilt)('finds %s', async (_, spoil, codes) => {
    const cwd = fresh()
    spoil(cwd)
    const { code, json } = await bundle(cwd, 'verify', 'out')
    expect([code, [...new Set(codesOf(json.problems))]]).toEqual([1, codes])
  })

  it('finds other bytes than were pinned, and does not take nonsense for a pin', async () => {
    const cwd = fresh()
    const pinned = `sha256:${'0'.repeat(64)}`
    const found = await bundle(cwd, 'verify', 'out', '--trust-root', 'acme.pem', '--integrity', pinned)
    expect([found.code, codesOf(found.json.problems)]).toEqual([1, ['bundle_integrity_mismatch']])
    expect((await bundle(cwd, 'verify', 'out', '--integrity', 'sha512-x')).json.error).toBe('usage_invalid')
  })

  it('opens no other file, wherever the manifest points, and follows a link to pack.json only', async () => {
    const cwd = fresh()
    const manifest = { ...JSON.parse(read(cwd, 'out', 'pack.json')), signing: { publicKeyRef: '../acme.pem', signatureRef: '../good.sig' } }
    mkdirSync(join(cwd, 'trick'))
    writeFileSync(join(cwd, 'real.json'), JSON.stringify(manifest))
    symlinkSync('../real.json', join(cwd, 'trick', 'pack.json'))
    await bundle(cwd, 'sign', 'real.json', '--key', 'private.pem')
    copyFileSync(join(cwd, 'real.json.sig'), join(cwd, 'good.sig'))
    const unsigned = await bundle(cwd, 'verify', 'trick', '--trust-root', 'acme.pem')
    expect([unsigned.code, codesOf(unsigned.json.problems)]).toEqual([1, ['bundle_unsigned']])
    copyFileSync(join(cwd, 'good.sig'), join(cwd, 'trick', 'pack.json.sig'))
    expect((await bundle(cwd, 'verify', 'trick', '--trust-root', 'acme.pem')).code).toBe(0)
  })

  const files: readonly [why: string, put: (path: string) => void, said: string][] = [
    ['a folder without pack.json', () => undefined, 'does not exist'],
    ['a folder in its place', path => mkdirSync(path), 'is not a file'],
    ['a pipe', path => void execFileSync('mkfifo', [path]), 'is not a file'],
    ['more than sixteen megabytes', path => writeFileSync(path, Buffer.alloc(16 * 1024 * 1024 + 1, 32)), '16777217 bytes'],
  ]
  it.each(files)('reads nothing from %s', async (_, put, said) => {
    const cwd = fresh({ 'odd/readme': '' })
    put(join(cwd, 'odd', 'pack.json'))
    const { code, json } = await bundle(cwd, 'verify', 'odd')
    expect([code, json.message]).toEqual([2, expect.stringContaining(said)])
  })

  it('refuses a trust root that is none, rather than trusting less than was asked', async () => {
    const cwd = fresh({ '.onbook/trust/odd.pem': 'no key', '.onbook/trust/notes.txt': 'not looked at' })
    expect(await bundle(cwd, 'verify', 'out')).toMatchObject({ code: 2, json: { error: 'file_unreadable' } })
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' })
    const other = fresh({ '.onbook/trust/rsa.pem': String(rsa) })
    expect((await bundle(other, 'verify', 'out', '--trust-root', 'acme.pem')).json.message).toContain('only Ed25519')
  })
})

describe('onbook bundle install', () => {
  it('installs once, keeps what is there, and lists it', async () => {
    const cwd = fresh()
    trusted(cwd)
    const first = await bundle(cwd, 'install', 'out')
    expect(first).toMatchObject({
      code: 0,
      json: { name: NAME, unchanged: false, added: expect.arrayContaining(['prompt:summarizer@1.0.0']) },
    })
    expect(await bundle(cwd, 'install', 'out')).toMatchObject({ code: 0, json: { unchanged: true, added: [] } })
    const { out } = await runCli(['bundle', 'list'], { cwd })
    expect(out).toMatch(new RegExp(`${NAME} +1\\.0\\.0 +3 +acme`))
    expect((await bundle(cwd, 'list')).json.bundles).toMatchObject([{ name: NAME, key: first.json.key, tenant: 'default' }])
    expect((await bundle(cwd, 'list', '--tenant', 'other')).json.bundles).toEqual([])
    const { intact } = JSON.parse((await runCli(['verify', '--json'], { cwd })).out) as { intact: boolean }
    expect(intact).toBe(true)
  })

  it('refuses what it does not trust, and leaves no record behind', async () => {
    const cwd = fresh()
    const { code, json } = await bundle(cwd, 'install', 'out')
    expect([code, json.error, codesOf(json.details.problems)]).toEqual([1, 'bundle_refused', ['bundle_key_unknown']])
    const { err } = await runCli(['bundle', 'install', 'out'], { cwd })
    expect(err).toContain('nothing was written:\n  bundle_key_unknown: ')
    expect(existsSync(join(cwd, '.onbook'))).toBe(false)
  })

  it('takes an unsigned one only when told to, and says so for ever', async () => {
    const cwd = fresh()
    await bundle(cwd, 'build', '--name', NAME, '--version', '1.0.0', '--output', 'bare')
    expect((await bundle(cwd, 'install', 'bare')).code).toBe(1)
    expect(await bundle(cwd, 'install', 'bare', '--allow-unsigned')).toMatchObject({ code: 0, json: { key: null } })
    expect((await runCli(['bundle', 'list'], { cwd })).out).toContain('nobody')
    expect((await runCli(['events', `library/${NAME}`], { cwd })).out).toContain('"key":null,"signature":null')
  })

  it('refuses other text under a version that is there, with a message that says where', async () => {
    const cwd = fresh()
    trusted(cwd)
    await bundle(cwd, 'install', 'out')
    const manifest = read(cwd, 'out', 'pack.json')
      .replace('"version": "1.0.0"\n}', '"version": "1.1.0"\n}')
      .replace('Summarize one', 'Shorten one')
    writeFileSync(join(cwd, 'out', 'pack.json'), manifest)
    await bundle(cwd, 'sign', 'out', '--key', 'private.pem')
    const { code, json } = await bundle(cwd, 'install', 'out')
    expect([code, codesOf(json.details.problems)]).toEqual([1, ['template_exists']])
    expect(json.message).toContain('prompt:summarizer@1.0.0')
  })
})

it('onbook bundle list makes no record', async () => {
  const cwd = temporaryFolder(null)
  expect(await bundle(cwd, 'list')).toMatchObject({ code: 2, json: { error: 'store_missing' } })
  expect(existsSync(join(cwd, '.onbook'))).toBe(false)
})

/** Adds the key to the trust roots. Returns the folder of the bundle. */
function trusted(cwd: string): string {
  mkdirSync(join(cwd, '.onbook', 'trust'), { recursive: true })
  copyFileSync(join(cwd, 'acme.pem'), join(cwd, '.onbook', 'trust', 'acme.pem'))
  return join(cwd, 'out')
}
