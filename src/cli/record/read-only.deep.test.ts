// Tests that a record in a read-only folder answers every question.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../adapters/sqlite-store/database.ts'
import { OTHER_USER } from '../../testing/hosts/other-user.ts'
import { type CliOptions, runCli } from '../../testing/hosts/run-cli.ts'

const root = mkdtempSync(join(tmpdir(), 'onbook-evidence-'))
chmodSync(root, 0o755)
const made = join(root, 'made')
let run = ''
let session = ''
beforeAll(async () => {
  expect((await runCli(['demo', '--no-serve', '--data', made])).code).toBe(0)
  expect((await runCli(['checkpoint', '--data', made])).code).toBe(0)
  const listed = async (...what: readonly string[]) => JSON.parse((await runCli([...what, '--json', '--data', made])).out)
  run = (await listed('runs')).runs[0].runId
  session = (await listed('sessions', 'list')).sessions[0].session
}, 120_000)
afterAll(() => {
  for (const name of readdirSync(root)) if (statSync(join(root, name)).isDirectory()) chmodSync(join(root, name), 0o755)
  rmSync(root, { recursive: true, force: true })
})

/** @param leave adds the files that a killed host leaves behind: its log */
function evidence(name: string, leave?: (folder: string) => void): string {
  const folder = join(root, name)
  mkdirSync(folder)
  for (const file of ['onbook.db']) cpSync(join(made, file), join(folder, file))
  leave?.(folder)
  for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o444)
  chmodSync(folder, 0o555)
  return folder
}

/** The database file and its log as they are while a process has them open, with an event that only the log contains. */
function withLog(folder: string): void {
  const from = mkdtempSync(join(tmpdir(), 'onbook-log-'))
  cpSync(join(made, 'onbook.db'), join(from, 'onbook.db'))
  const database = openDatabase(join(from, 'onbook.db'))
  database.exec("INSERT INTO answers VALUES ('default', 'only in the log', '{}')")
  for (const end of ['', '-wal']) cpSync(join(from, `onbook.db${end}`), join(folder, `onbook.db${end}`))
  database.close()
}

const questions = (folder: string, out: string): readonly (readonly string[])[] =>
  [
    ['why', run],
    ['show', run],
    ['blame', run],
    ['diff', run, run],
    ['prefix', run],
    ['replay', run],
    ['runs'],
    ['streams'],
    ['events', `run/${run}`],
    ['sessions', 'list'],
    ['sessions', 'show', session],
    ['sessions', 'transcript', session],
    ['sessions', 'events', session],
    ['policy', 'log'],
    ['label', 'writer', '--history'],
    ['verify'],
    ['verify', run],
    ['export', run, '--output', join(out, 'run.jsonl')],
    ['export', `run/${run}`, '--output', join(out, 'stream.jsonl')],
    ['backup', join(out, 'backup.db')],
  ].map(args => [...args, '--data', folder])

async function askAll(folder: string, options: CliOptions): Promise<void> {
  const before = execFileSync('ls', ['-l', folder], { encoding: 'utf8' })
  const out = mkdtempSync(join(root, 'out-'))
  chmodSync(out, 0o777)
  const found: string[] = []
  for (const args of questions(folder, out)) {
    const { code, err } = await runCli(args, { ...options, cwd: out })
    if (code !== 0) found.push(`${args.slice(0, -2).join(' ')}: ${code} ${err}`)
  }
  expect(found).toEqual([])
  expect(execFileSync('ls', ['-l', folder], { encoding: 'utf8' })).toBe(before)
}

const isRoot = process.getuid?.() === 0
describe.runIf(isRoot)('as another user (needs root to become one)', () => {
  it(
    'reliability D11: a folder without write permission answers every question',
    () => askAll(evidence('plain'), { uid: OTHER_USER }),
    300_000,
  )

  it('reliability D11: the log of a killed host is read, and stays as it is', async () => {
    const folder = evidence('logged', withLog)
    expect(statSync(join(folder, 'onbook.db-wal')).size).toBeGreaterThan(0)
    const { code, out } = await runCli(['verify', '--json', '--data', folder], { uid: OTHER_USER })
    expect([code, JSON.parse(out)]).toMatchObject([0, { intact: true, unproven: { answers: 1 } }])
    await askAll(folder, { uid: OTHER_USER })
  }, 300_000)

  it('reliability D11: a command that writes says that it cannot', async () => {
    const folder = evidence('refusing')
    const { code, out } = await runCli(['erase', `sha256:${'0'.repeat(64)}`, '--why', 'x', '--json', '--data', folder], { uid: OTHER_USER })
    expect(code).toBe(2)
    const { code: signing, out: said } = await runCli(['rebuild', '--json', '--data', folder], { uid: OTHER_USER })
    expect([signing, JSON.parse(said), JSON.parse(out).error]).toMatchObject([2, { error: 'store_read_only' }, expect.any(String)])
  })

  it('reliability D11: a read-only file system', async context => {
    const place = join(root, 'mounted')
    mkdirSync(place)
    try {
      execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', place], { stdio: 'pipe' })
    } catch {
      return context.skip('this machine does not let tests mount a file system')
    }
    try {
      cpSync(join(made, 'onbook.db'), join(place, 'onbook.db'))
      cpSync(join(made, 'keys'), join(place, 'keys'), { recursive: true })
      execFileSync('mount', ['-o', 'remount,ro', place], { stdio: 'pipe' })
      await askAll(place, {})
      expect(JSON.parse((await runCli(['verify', '--json', '--data', place])).out)).toMatchObject({ intact: true, unsealed: 0 })
    } finally {
      execFileSync('umount', [place])
    }
  }, 300_000)
})

it('reliability D12: a record in a folder that was there is readable by its owner alone', async () => {
  const folder = join(root, 'open')
  mkdirSync(folder, { mode: 0o755 })
  chmodSync(folder, 0o755)
  expect((await runCli(['demo', '--no-serve', '--data', folder])).code).toBe(0)
  expect((await runCli(['checkpoint', '--data', folder])).code).toBe(0)
  const keys = readdirSync(join(folder, 'keys')).map(name => join(folder, 'keys', name))
  expect(keys.length).toBeGreaterThan(0)
  const files = [join(folder, 'onbook.db'), ...keys]
  expect(files.filter(path => (statSync(path).mode & 0o077) !== 0)).toEqual([])
  const database = openDatabase(join(folder, 'onbook.db'))
  database.exec("INSERT INTO answers VALUES ('default', 'x', '{}')")
  for (const end of ['-wal', '-shm']) expect(statSync(join(folder, `onbook.db${end}`)).mode & 0o077).toBe(0)
  database.close()
  const copy = join(root, 'backup.db')
  expect((await runCli(['backup', copy, '--data', folder])).code).toBe(0)
  expect(statSync(copy).mode & 0o077).toBe(0)
}, 60_000)

it('reliability D18: a key file without a key is a fault that names the file', async () => {
  const folder = mkdtempSync(join(root, 'keys-'))
  cpSync(made, folder, { recursive: true })
  const key = readdirSync(join(folder, 'keys')).find(name => name.startsWith('sign-'))!
  writeFileSync(join(folder, 'keys', key), '{}')
  const { code, err } = await runCli(['verify', '--data', folder])
  expect([code, err]).toEqual([2, expect.stringContaining(key)])
  expect(err).not.toContain('bug in onbook')
  expect(existsSync(join(folder, 'keys', key)) && readFileSync(join(folder, 'keys', key), 'utf8')).toBe('{}')
})

it('reliability D21: verify of a run does not send its reader to a command that has nothing to do', async () => {
  expect((await runCli(['checkpoint', '--data', made])).out).toBe('Every stream was signed already.\n')
  const { code, out } = await runCli(['verify', run, '--data', made])
  expect([code, out]).toEqual([0, expect.not.stringContaining('onbook store checkpoint')])
}, 60_000)

it('reliability D23: one command lists and erases every object of a run that holds a text', async () => {
  const folder = mkdtempSync(join(root, 'erasing-'))
  cpSync(made, folder, { recursive: true })
  const erase = async (...more: readonly string[]) =>
    JSON.parse((await runCli(['erase', '--run', run, '--holding', 'writer', '--json', '--data', folder, ...more])).out)
  const listed = await erase()
  expect(listed).toMatchObject({ run, erased: false })
  expect(listed.objects.length).toBeGreaterThan(1)
  expect(await erase('--why', 'asked to be forgotten')).toEqual({ run, objects: listed.objects, erased: true })
  expect(await erase()).toEqual({ run, objects: [], erased: false })
  const { out } = await runCli(['verify', '--json', '--data', folder])
  expect(JSON.parse(out)).toMatchObject({ intact: true, erased: listed.objects.length })
}, 120_000)
