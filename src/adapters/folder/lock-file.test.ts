import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exclusively } from './lock-file.ts'

let folder: string
let path: string
const children: ChildProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onbook-lock-'))
  path = join(folder, '.job.lock')
})
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

const PATIENCE = 300
const take = () => exclusively(path, 'job', async () => 'done', PATIENCE)
const leave = (owner: unknown) => writeFileSync(path, JSON.stringify(owner))

/** Another process that lives for the length of the test. */
async function sleeper(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'console.log("up"); setTimeout(() => {}, 60_000)'], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  await once(child.stdout, 'data')
  return child.pid!
}

const startOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[19]!

describe('exclusively', () => {
  it('takes over a lock with its own number from a former life', async () => {
    leave({ pid: process.pid, started: '1', nonce: 'another' })
    expect(await take()).toBe('done')
    leave({ pid: process.pid, started: null, nonce: 'another' })
    expect(await take()).toBe('done')
    expect(readdirSync(folder)).toEqual([])
  })

  it('takes over the lock of a dead owner even when its own patience is over', async () => {
    leave({ pid: process.pid, started: '1', nonce: 'another' })
    expect(await exclusively(path, 'job', async () => 'done', -1)).toBe('done')
  })

  it('waits for a process that lives, and then names the lock file', async () => {
    const pid = await sleeper()
    const lock = { pid, started: existsSync('/proc/self/stat') ? startOf(pid) : null, nonce: 'theirs' }
    leave(lock)
    await expect(take()).rejects.toMatchObject({ code: 'busy', details: { what: 'job', path }, message: expect.stringContaining(path) })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(lock)
    expect(readdirSync(folder)).toEqual(['.job.lock'])
  })

  it('believes the number where the system did not say when the owner started', async () => {
    leave({ pid: await sleeper(), started: null, nonce: 'theirs' })
    await expect(take()).rejects.toMatchObject({ code: 'busy' })
  })

  it.runIf(existsSync('/proc/self/stat'))('takes over a lock whose number was given to another process', async () => {
    leave({ pid: await sleeper(), started: '1', nonce: 'theirs' })
    expect(await take()).toBe('done')
  })

  it.each(['{"pid":999999999,"started":"1","nonce":"x"}', '', '{', 'null', '{"pid":0,"nonce":"x"}', '{"pid":-1,"nonce":"x"}'])(
    'takes over the lock %j, which nobody alive holds',
    async text => {
      writeFileSync(path, text)
      expect(await take()).toBe('done')
      expect(readdirSync(folder)).toEqual([])
    },
  )

  it('leaves a lock alone that became somebody else’s', async () => {
    const theirs = JSON.stringify({ pid: 1, started: null, nonce: 'theirs' })
    await exclusively(path, 'job', async () => writeFileSync(path, theirs))
    expect(readFileSync(path, 'utf8')).toBe(theirs)
  })

  it('says who it is while it works, and waits for itself', async () => {
    await exclusively(path, 'job', async () => {
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid, nonce: expect.any(String) })
      await expect(take()).rejects.toMatchObject({ code: 'busy' })
    })
    expect(await take()).toBe('done')
  })

  it('gives the lock back when the work fails', async () => {
    await expect(exclusively(path, 'job', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(readdirSync(folder)).toEqual([])
  })
})
