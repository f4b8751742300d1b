import { createPublicKey, verify } from 'node:crypto'
import { chmodSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { fileKeyring } from './file-keyring.ts'
import { signatureChecker } from './public-keys.ts'

let folder: string
let now: number
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'onbook-keys-')), 'keys')
  now = 0
})
const open = () => fileKeyring(folder, () => new Date(now++).toISOString())
const checker = async () => signatureChecker(await open().publicKeys())
const bytes = new TextEncoder().encode('a checkpoint')

describe('fileKeyring', () => {
  it('makes keys that only their owner can read', async () => {
    const keyring = open()
    await keyring.sign(bytes)
    await keyring.seal(bytes)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const files = readdirSync(folder)
    expect(files.map(name => name.split('-')[0]).sort()).toEqual(['seal', 'sign'])
    for (const name of files) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  })

  it('checks what it signed and sealed, also after it was opened again', async () => {
    const signature = await open().sign(bytes)
    const seal = await open().seal(bytes)
    expect((await checker())(bytes, signature)).toBe(true)
    expect(await open().checkSeal(bytes, seal)).toBe(true)
  })

  it('rejects other bytes, other keys and other signatures', async () => {
    const keyring = open()
    const [signature, seal] = [await keyring.sign(bytes), await keyring.seal(bytes)]
    const others = new TextEncoder().encode('another')
    const check = await checker()
    expect(check(others, signature)).toBe(false)
    expect(await keyring.checkSeal(others, seal)).toBe(false)
    expect(check(bytes, { ...signature, key: 'sign-0000000000000000' })).toBe(null)
    expect(await keyring.checkSeal(bytes, { ...seal, signature: '' })).toBe(false)
    expect(check(bytes, { ...signature, signature: 'AAAA' })).toBe(false)
  })

  it('uses the newest key, and keeps the old ones for what they made', async () => {
    const keyring = open()
    const before = await keyring.sign(bytes)
    const id = await keyring.rotate('sign')
    const after = await keyring.sign(bytes)
    expect(after.key).toBe(id)
    expect(before.key).not.toBe(id)
    expect((await checker())(bytes, before)).toBe(true)
    expect((await keyring.publicKeys()).map(key => key.id)).toEqual([before.key, id])
  })

  it('gives public keys that anybody can check with', async () => {
    const keyring = open()
    const { signature } = await keyring.sign(bytes)
    const [key] = await keyring.publicKeys()
    expect(verify(null, bytes, createPublicKey(key!.pem), Buffer.from(signature, 'base64url'))).toBe(true)
    expect(key!.pem).toContain('PUBLIC KEY')
  })

  it('refuses a key that others can read, and one that is broken', async () => {
    await open().sign(bytes)
    const file = join(folder, readdirSync(folder)[0]!)
    chmodSync(file, 0o644)
    await expect(open().sign(bytes)).rejects.toMatchObject({ code: 'key_exposed' })
    chmodSync(file, 0o600)
    writeFileSync(file, '{')
    await expect(open().sign(bytes)).rejects.toMatchObject({ code: 'file_unreadable' })
    writeFileSync(file, '{}') // reliability D18
    await expect(open().sign(bytes)).rejects.toMatchObject({ code: 'file_unreadable', message: expect.stringContaining(file) })
  })
})
