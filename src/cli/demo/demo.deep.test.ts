// Tests the demo from outside: the first page, every story on the folder and through its host, a second start, and refusals.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectGolden } from '../../testing/golden.ts'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'
import { textWidth } from '../report/cells.ts'
import { STORIES } from './stories.ts'

/** The text without ids and values that differ between two demos. */
const steady = (text: string): string =>
  text
    .replace(/run_[0-9a-z]+/g, 'RUN')
    .replace(/sha256:[0-9a-f]{12,64}/g, 'HASH')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, 'WHEN')
    .replace(/\b[\d.]+ k?B\b/g, 'SIZE')
    .replace(/byte \d+/g, 'byte N')
    .replace(/\d+ events, \d+ objects/g, 'N events, N objects')
    .replace(/\d+ events fold/g, 'N events fold')
    .replace(/approval_[0-9a-f-]+/g, 'APPROVAL')

const tooWide = (text: string): readonly string[] => text.split('\n').filter(line => textWidth(line) > 80)

interface Told {
  readonly story: string
  readonly commands: readonly string[]
  readonly lines: readonly string[]
  readonly point: string
}

const place = () => {
  const folder = temporaryFolder(null)
  const demo = (...args: readonly string[]) => runCli(['demo', ...args], { cwd: folder })
  const told = async (...args: readonly string[]): Promise<Told> => JSON.parse((await demo(...args, '--json')).out)
  return { folder, home: join(folder, 'onbook-demo'), demo, told }
}

describe('at rest', () => {
  const { folder, home, demo, told } = place()
  let first: Awaited<ReturnType<typeof demo>>
  beforeAll(async () => {
    first = await demo('--no-serve')
  })

  it('the first screen shows the run, and fits', () => {
    expect([first.code, first.err]).toEqual([0, ''])
    expectGolden('demo/screen', steady(first.out))
    expect(tooWide(first.out)).toEqual([])
    expect(first.out.split('\n').length).toBeLessThanOrEqual(46)
  })

  // In this order: each story depends on the ones before it.
  it.each(STORIES)('$name: $summary', async ({ name }) => {
    const { code, out, err } = await demo(name)
    expect([code, err]).toEqual([0, ''])
    expectGolden(`demo/${name}`, steady(out))
    expect(tooWide(out)).toEqual([])
  })

  it('a story can be told again, and says the same to scripts', async () => {
    const apply = await told('apply')
    expect(apply.lines).toContain('nothing new has been published, so something is:')
    expect(apply.commands).toContain('npx onbook agent apply newsroom --when next_step_boundary')
    expect(apply.point).toBe('One run, two steps: version 2, then version 3, because it was applied in between.')
    expect((await told('publish')).point).toContain('Publishing changes nothing')
    expect((await told('replay')).point).toContain('byte for byte')
  })

  it('a second start says what is there, and adds nothing', async () => {
    const again = await demo('--no-serve')
    expect(again.code).toBe(0)
    expect(again.out).toMatch(/onbook-demo is there already, with \d+\s+runs/)
    expect(/run_\w+/.exec(again.out)![0]).toBe(/run_\w+/.exec(first.out)![0])
    expect(JSON.parse((await runCli(['verify', '--json'], { cwd: home })).out).intact).toBe(true)
  })

  it('what it shows can be typed in its folder, where the record is found', async () => {
    const shown = /npx onbook (show \S+ --node writer)/.exec(first.out)![1]!
    const { code, out } = await runCli(shown.split(' '), { cwd: home })
    expect([code, out]).toEqual([0, expect.stringContaining('from system: prompt:writer@1.1.0 (agent-overrides)')])
    expect(existsSync(join(folder, '.onbook'))).toBe(false)
  })
})

describe('with its host', () => {
  const { folder, home, demo, told } = place()
  let child: ChildProcess
  let ended: Promise<number | null>
  let host: { readonly url: string; readonly pid: number; readonly runId: string; readonly loginUrl: string }
  beforeAll(async () => {
    child = spawn(process.execPath, [resolve('bin/onbook.mjs'), 'demo', '--json'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    ended = new Promise(done => child.once('close', done))
    host = JSON.parse(await new Promise<string>(said => child.stdout!.once('data', data => said(String(data)))))
  })
  afterAll(() => void child.kill())

  it.each(STORIES)('$name: the same story, through the host', async ({ name }) => {
    const atRest = readFileSync(`fixtures/golden/demo/${name}.txt`, 'utf8')
    const { code, out, err } = await demo(name)
    expect([code, err]).toEqual([0, ''])
    // The two differ only in the options of a command that does the work itself.
    const words = (text: string) => text.replace(/ --script script\.yaml/g, '').replace(/\s+\\?\s*/g, ' ')
    expect(words(steady(out))).toBe(words(atRest))
  })

  it('a second start leads to the host that runs', async () => {
    const { out } = await demo()
    expect(out).toContain(`is at ${host.url} until Ctrl-C`)
    expect(JSON.parse((await demo('--json')).out)).toMatchObject({ url: host.url, pid: host.pid, runId: host.runId })
    expect((await told('override')).commands[0]).not.toContain('--script')
  })

  it('ends when it is told to, and leaves a record that is intact', async () => {
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    const { out } = await runCli(['verify', '--json'], { cwd: home })
    expect(JSON.parse(out)).toMatchObject({ intact: true })
  })
})

describe('elsewhere', () => {
  it('a record of another name is the folder of the demo, and commands find it there', async () => {
    const { folder, demo } = place()
    const { code, out } = await demo('--no-serve', '--data', 'there')
    expect([code, out]).toEqual([0, expect.stringContaining('npx onbook demo override --data there')])
    expect(JSON.parse((await runCli(['runs', '--data', 'there', '--json'], { cwd: folder })).out).runs).toHaveLength(1)
    for (const story of ['override', 'tamper']) expect((await demo(story, '--data', 'there')).code).toBe(0)
  })

  it('a folder with something else in it is left alone', async () => {
    const { home, demo } = place()
    mkdirSync(home)
    writeFileSync(join(home, 'mine.txt'), 'mine')
    const { code, out } = await demo('--json')
    expect([code, JSON.parse(out).error]).toEqual([2, 'folder_not_empty'])
    expect(existsSync(join(home, 'newsroom'))).toBe(false)
  })

  it('a story that is none is refused, with those there are', async () => {
    const { code, err } = await place().demo('fairytale')
    expect([code, err]).toEqual([2, expect.stringContaining('override, publish, apply, tool, attack, replay, tamper')])
  })
})
