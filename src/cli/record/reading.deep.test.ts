// Tests the commands that read a record from outside: streams, events, objects, and a missing or damaged record.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { digestBytes } from '../../core/digest/digest.ts'
import { OTHER_USER } from '../../testing/hosts/other-user.ts'
import { type CliRun, runCli } from '../../testing/hosts/run-cli.ts'
import { appendTo, HOSTILE, nameOf, OBJECTS, type ObjectName, sampleRecord } from '../../testing/stores/sample-record.ts'
import { RECORD_COMMANDS } from '../commands/record.ts'

let data = ''
beforeAll(async () => {
  data = await sampleRecord()
})

const cli = (...args: readonly string[]): Promise<CliRun> => runCli([...args, '--data', data])
const CLI = resolve('bin/onbook.mjs')
const fresh = (): string => mkdtempSync(join(tmpdir(), 'onbook-read-'))
/** Control characters, except line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const RAW = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/

describe('onbook store streams', () => {
  it('lists streams with how much of them is signed', async () => {
    await appendTo(data, 'later', 1)
    const { code, out } = await cli('streams')
    expect(code).toBe(0)
    expect(out.split('\n').map(line => line.replace(/ +sha256.*/, ''))).toEqual([
      'stream       events  unsealed  head',
      'checkpoints       1         0',
      'later             1         1',
      'odd               1         0',
      'talk              4         0',
      '',
    ])
  })

  it('says the same as JSON', async () => {
    const { out } = await cli('streams', '--json')
    expect(JSON.parse(out).streams.at(-1)).toEqual({
      stream: 'talk',
      events: 4,
      unsealed: 0,
      head: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    })
  })

  it('names the tenants there are when one has nothing', async () => {
    const { code, out } = await cli('streams', '--tenant', `nobody\u001b[31m`)
    expect([code, out]).toEqual([0, 'No streams of tenant nobody␛[31m. There are tenants: default, umbrella.\n'])
  })
})

describe('onbook store events', () => {
  it('prints events in order, and only those after a sequence', async () => {
    const { code, out } = await cli('events', 'talk', '--after', '1')
    const lines = out.trimEnd().split('\n')
    expect([code, lines.map(line => line.split('  ')[0])]).toEqual([0, ['2', '3']])
    expect(lines[0]).toBe(`2  ${lines[0]!.split('  ')[1]}  message.said  ada  {"words":"${nameOf('big')}"}`)
  })

  it('prints the recorded bytes as JSON: their digest is the head', async () => {
    const [{ out }, listed] = await Promise.all([cli('events', 'talk', '--json'), cli('streams', '--json')])
    const last = out.trimEnd().split('\n').at(-1)!
    expect(digestBytes(new TextEncoder().encode(last))).toBe(JSON.parse(listed.out).streams.at(-1).head)
  })

  it('keeps what a terminal would act on from the terminal', async () => {
    const { out } = await cli('events', 'odd')
    expect(out).not.toMatch(RAW)
    expect(out).toContain('gnp.exe')
  })

  it.each([
    [['events', 'nothing'], /^onbook: There is no stream named nothing\. "onbook store streams" lists them\.\n$/],
    [['events', 'a\u001b[31mb'], /^onbook: There is no stream named a␛\[31mb/],
    [['events', 'secret'], /^onbook: There is no stream named secret/],
    [['events', 'talk', '--after', 'x'], /^onbook: --after must be a number/],
    [['events', 'talk', '--after', '-2'], /^onbook: --after must be a number/],
  ])('%j: exit 2 and one line', async (args, says) => {
    const { code, out, err } = await cli(...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(says)
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('follows what another process appends, and ends cleanly on %s', async signal => {
    const stream = `followed-${signal}`
    const { code, out, err } = await runCli(['events', stream, '--follow', '--json', '--data', data], {
      during: child => {
        let seen = ''
        child.stdout!.on('data', chunk => {
          seen += chunk
          if (seen.split('\n').length === 4) child.kill(signal)
        })
        void (async () => {
          for (const n of [0, 1, 2]) await appendTo(data, stream, n)
        })()
      },
    })
    const payloads = out
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line).payload)
    expect([code, err, payloads]).toEqual([0, '', [0, 1, 2]])
  })

  it('ends without a word when the reader has seen enough', async () => {
    for (let n = 0; n < 3; n++) await appendTo(data, 'long', 'x'.repeat(200_000))
    const shell = spawn('bash', ['-c', `set -o pipefail; "${process.execPath}" "${CLI}" events long --data "${data}" | head -c 10`], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let err = ''
    shell.stderr.on('data', chunk => {
      err += chunk
    })
    shell.stdout.resume()
    expect([await new Promise(done => shell.on('close', done)), err]).toEqual([0, ''])
  })
})

describe('onbook store object', () => {
  it.each(Object.keys(OBJECTS) as ObjectName[])('gives the bytes of the %s object back, to a pipe, a file and as JSON', async name => {
    const to = join(fresh(), 'object')
    const shell = spawn(process.execPath, [CLI, 'object', nameOf(name), '--data', data], { stdio: ['ignore', 'pipe', 'inherit'] })
    const pieces: Buffer[] = []
    shell.stdout.on('data', piece => pieces.push(piece))
    await new Promise(done => shell.on('close', done))
    expect(Buffer.concat(pieces).equals(OBJECTS[name])).toBe(true)

    const written = await cli('object', nameOf(name).slice('sha256:'.length), '--output', to)
    expect([written.code, written.err, readFileSync(to).equals(OBJECTS[name])]).toEqual([0, '', true])

    const { digest, size, text, base64 } = JSON.parse((await cli('object', nameOf(name), '--json')).out)
    expect([digest, size]).toEqual([nameOf(name), OBJECTS[name].length])
    expect((text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(text)).equals(OBJECTS[name])).toBe(true)
  })

  it('shows a terminal what it would act on', async () => {
    const shown = spawn('script', ['-qec', `"${process.execPath}" "${CLI}" object ${nameOf('hostile')} --data "${data}"`, '/dev/null'])
    let out = ''
    shown.stdout.on('data', chunk => {
      out += chunk
    })
    const code = await new Promise(done => shown.on('error', () => done('none')).on('close', done))
    if (code === 'none') return console.warn('NOT TESTED: objects on a terminal. There is no "script" here.')
    expect(code).toBe(0)
    expect(out.replaceAll('\r\n', '\n')).not.toMatch(RAW)
    expect(out).toContain('red')
  })

  it('never replaces a file', async () => {
    const folder = fresh()
    writeFileSync(join(folder, 'mine'), 'mine')
    const { code, err } = await cli('object', nameOf('text'), '--output', join(folder, 'mine'))
    expect([code, err]).toEqual([
      2,
      `onbook: ${join(folder, 'mine')} exists already; nothing was written. Remove it, or choose another path.\n`,
    ])
    expect([readdirSync(folder), readFileSync(join(folder, 'mine'), 'utf8')]).toEqual([['mine'], 'mine'])
  })

  it.each([
    ['one that nobody has', [`sha256:${'0'.repeat(64)}`], 'object_missing'],
    ["another tenant's", [digestBytes(new TextEncoder().encode('not yours'))], 'object_missing'],
    ['something else', ['refunds'], 'usage_invalid'],
    ['half a digest', ['sha256:abc'], 'usage_invalid'],
  ])('refuses %s, and leaves no file behind', async (_, args, error) => {
    const folder = fresh()
    const { code, out } = await cli('object', ...args, '--output', join(folder, 'new'), '--json')
    expect([code, JSON.parse(out).error]).toEqual([2, error])
    const plain = await cli('object', ...args, '--output', join(folder, 'new'))
    expect([plain.code, plain.out, readdirSync(folder)]).toEqual([2, '', []])
  })

  it("gives another tenant's object to that tenant", async () => {
    const { out } = await cli('object', digestBytes(new TextEncoder().encode('not yours')), '--tenant', 'umbrella')
    expect(out).toBe('not yours')
  })
})

/** A digest for a digest argument, any name for the others. */
const argumentsOf = (names: readonly string[]) =>
  names.filter(name => name.startsWith('<')).map(name => (name === '<digest>' ? nameOf('text') : 'something'))

describe('without a record', () => {
  const commands = RECORD_COMMANDS.filter(({ name }) => name !== 'store restore' && name !== 'run import')
  it.each(commands)('onbook $name says so in one line, exits with 2 and makes nothing', async command => {
    const folder = join(fresh(), 'none')
    const args = [...command.name.split(' '), ...argumentsOf(command.arguments), '--data', folder]
    const { code, out, err } = await runCli(args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toBe(
      `onbook: There is no record at ${folder}/onbook.db. Name its folder with --data, or create a record with "onbook publish" or "onbook host serve".\n`,
    )
    const asJson = await runCli([...args, '--json'])
    expect([asJson.code, JSON.parse(asJson.out).error, asJson.err]).toEqual([2, 'store_missing', ''])
    expect(existsSync(folder)).toBe(false)
  })

  it.each([
    ['an empty file', '', 'store_corrupt', /is damaged \(it is empty\)/],
    ['a text', 'hello '.repeat(1000), 'store_corrupt', /is damaged \(file is not a database\)/],
  ])('takes %s for damaged, whatever the command, and leaves it alone', async (_, text, error, says) => {
    for (const command of commands) {
      const folder = fresh()
      writeFileSync(join(folder, 'onbook.db'), text)
      const args = [...command.name.split(' '), ...argumentsOf(command.arguments), '--data', folder]
      const [plain, asJson] = await Promise.all([runCli(args, { cwd: folder }), runCli([...args, '--json'], { cwd: folder })])
      // onbook verify exists to report damage, so it answers where other commands fail.
      const answers = command.name === 'verify' && text !== ''
      expect([command.name, plain.code, asJson.code]).toEqual([command.name, answers ? 1 : 2, answers ? 1 : 2])
      expect(`${plain.out}${plain.err}`).toMatch(answers ? /BROKEN in 1 place/ : says)
      expect(plain.err).not.toMatch(/\bat .*\.m?js/)
      if (answers) expect(JSON.parse(asJson.out).breaks[0].code).toBe(error)
      else expect(JSON.parse(asJson.out).error).toBe(error)
      expect([readdirSync(folder).filter(name => name !== 'keys'), readFileSync(join(folder, 'onbook.db'), 'utf8')]).toEqual([
        ['onbook.db'],
        text,
      ])
    }
  })

  it('says that a folder is in its place', async () => {
    const folder = fresh()
    mkdirSync(join(folder, 'onbook.db'))
    const { code, err } = await runCli(['streams', '--data', folder])
    expect([code, err]).toEqual([2, `onbook: ${folder}/onbook.db could not be read or written: it is a folder.\n`])
    const file = await runCli(['streams', '--data', join(data, 'onbook.db')])
    expect([file.code, file.err]).toEqual([2, expect.stringContaining('There is no record at')])
  })

  it('says that it may not look', async () => {
    if (OTHER_USER === null) chmodSync(data, 0o000)
    const { code, err } = await runCli(['streams', '--data', data], { uid: OTHER_USER })
    chmodSync(data, 0o700)
    expect([code, err]).toEqual([2, `onbook: ${data}/onbook.db cannot be read: permission is denied.\n`])
  })
})

it('shows nothing raw of a hostile text', () => expect(HOSTILE).toMatch(RAW))
