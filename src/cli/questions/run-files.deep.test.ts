// Tests run files on the command line, each step in its own process: imported, listed, queried, refused, and with parts left out.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { nameWithLine, writeEndLine } from '../../core/record/run-file.ts'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const HISTORY = resolve('fixtures/histories/workshop.v0.1.jsonl')
const RUN = (JSON.parse(readFileSync(HISTORY, 'utf8').split('\n')[0]!) as { readonly run: string }).run
const NEWSROOM = resolve('examples/newsroom')
const folder = mkdtempSync(join(tmpdir(), 'onbook-run-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const onbook = (...args: readonly string[]) => runCli(args, { cwd: folder })
const json = async (...args: readonly string[]) => {
  const { code, out, err } = await onbook(...args, '--json')
  const body = JSON.parse(out === '' ? err : out)
  return { code, ...(Array.isArray(body) ? { items: body } : body) }
}
const runNewsroom = async (data: string): Promise<string> => {
  const input = ['--input', `@${NEWSROOM}/input.json`, '--script', `${NEWSROOM}/script.yaml`]
  const { runId, status } = await json('run', `${NEWSROOM}/workflows/newsroom.yaml`, ...input, '--data', data)
  expect(status).toBe('completed')
  return runId
}
/** Adds a valid end line. */
const ended = (lines: readonly string[]): string => {
  const name = lines.reduce<Digest | ''>((before, line) => nameWithLine(before, line), '')
  return [...lines, writeEndLine(name as Digest), ''].join('\n')
}

describe('an imported run', () => {
  beforeAll(() => json('import', HISTORY, '--data', 'alone'))

  it('is shown, asked, replayed, verified and exported again like any other', async () => {
    const at = ['--data', 'alone']
    expect(await json('show', RUN, ...at)).toMatchObject({ code: 0, status: 'completed' })
    expect((await json('why', RUN, ...at)).items.length).toBeGreaterThan(10)
    expect(await json('replay', RUN, ...at)).toMatchObject({ code: 0, identical: true })
    expect(await json('verify', RUN, ...at)).toMatchObject({ code: 0, intact: true })
    for (const question of ['show', 'why', 'replay']) expect(await json(question, RUN, ...at)).toEqual(await json(question, HISTORY))
  })

  it('is listed as imported, with a record beside it and without', async () => {
    const imported = { runId: RUN, workflowId: 'workshop', status: 'completed', imported: true }
    expect((await json('runs', '--data', 'alone')).runs).toMatchObject([imported])
    expect((await onbook('runs', '--data', 'alone')).out).toMatch(new RegExp(`${RUN.slice(0, 13)}\\S* +workshop +completed, imported`))
    expect((await onbook('runs', '--data', 'alone', '--status', 'failed')).out).toContain('No such runs')
    const own = await runNewsroom('both')
    await json('import', HISTORY, '--data', 'both')
    const { runs } = await json('runs', '--data', 'both')
    expect(runs.map(({ runId, imported }: { runId: string; imported?: true }) => [runId, imported])).toEqual([
      [own, undefined],
      [RUN, true],
    ])
  })

  it('is listed as broken once somebody has been at the file', async () => {
    await json('import', HISTORY, '--data', 'broken')
    const path = join(folder, 'broken', 'imported', `${RUN}.jsonl`)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"actor":"', '"actor":"m'))
    expect((await json('runs', '--data', 'broken')).runs).toMatchObject([{ runId: RUN, status: 'broken', imported: true }])
    expect(await json('show', RUN, '--data', 'broken')).toMatchObject({ code: 2, error: 'run_file_broken' })
  })
})

describe('what is refused', () => {
  it.each([
    ['a folder', () => folder],
    ['nothing there', () => 'nowhere.jsonl'],
    ['a stream file', () => stream],
    ['a picture', () => picture],
  ])('%s', async (_, file) => {
    const { code } = await json('import', file(), '--data', 'none')
    expect([code, existsSync(join(folder, 'none'))]).toEqual([2, false])
  })
  const [stream, picture] = [join(folder, 'stream.jsonl'), join(folder, 'picture.png')]
  beforeAll(() => {
    writeFileSync(stream, `${JSON.stringify({ onbook: 'stream', v: 1 })}\n`)
    writeFileSync(picture, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]))
  })

  it('a file that would be shown in place of a run of ours, whatever tenant it says it is of', async () => {
    const own = await runNewsroom('ours')
    await onbook('export', own, '--data', 'ours', '--output', 'ours.jsonl')
    const lines = readFileSync(join(folder, 'ours.jsonl'), 'utf8').trimEnd().split('\n').slice(0, -1)
    expect(await json('import', 'ours.jsonl', '--data', 'ours')).toMatchObject({ code: 2, error: 'run_exists' })
    writeFileSync(join(folder, 'theirs.jsonl'), movedTo('umbrella', lines))
    expect(await json('verify', 'theirs.jsonl')).toMatchObject({ code: 0, intact: true })
    expect(await json('import', 'theirs.jsonl', '--data', 'ours')).toMatchObject({ code: 2, error: 'run_exists' })
    // In another folder it is a run of that tenant, and of no other.
    expect(await json('import', 'theirs.jsonl', '--data', 'elsewhere')).toMatchObject({ code: 0, run: own })
    expect(await json('replay', own, '--data', 'elsewhere')).toMatchObject({ code: 0, identical: true })
  })

  it('another file for the same run', async () => {
    copyFileSync(HISTORY, join(folder, 'one.jsonl'))
    expect(await json('import', 'one.jsonl', '--data', 'same')).toMatchObject({ code: 0 })
    expect(await json('import', 'one.jsonl', '--data', 'same')).toMatchObject({ code: 0 })
    const lines = readFileSync(HISTORY, 'utf8').trimEnd().split('\n').slice(0, -1)
    // Not an internal tree node: erasing one would leave objects that only the node names.
    const at = lines.findIndex(line => line.startsWith('{"digest"') && !line.includes('"base64":"eyIkbm9kZS'))
    const erased = JSON.stringify({ digest: JSON.parse(lines[at]!).digest, erased: true })
    writeFileSync(join(folder, 'other.jsonl'), ended(lines.toSpliced(at, 1, erased)))
    expect(await json('import', 'other.jsonl', '--data', 'same')).toMatchObject({ code: 2, error: 'path_exists' })
  })
})

/** Rewrites the tenant and the hash chain of every stream. Without a signature the forgery cannot be detected. */
function movedTo(tenant: string, lines: readonly string[]): string {
  const header = JSON.parse(lines[0]!)
  const rest = lines.slice(1)
  const events: string[] = []
  const streams: object[] = []
  for (const one of header.streams as readonly { readonly tenant: string; readonly events: number }[]) {
    const all = rest.splice(0, one.events)
    if (one.tenant !== header.tenant) continue
    let head: string | null = null
    for (const line of all) {
      const event: string = JSON.stringify({ ...JSON.parse(line), tenant, prev: head })
      head = digestText(event)
      events.push(event)
    }
    streams.push({ ...one, tenant, head })
  }
  const objects = lines.filter(line => line.startsWith('{"digest"'))
  return ended([JSON.stringify({ ...header, tenant, streams, checkpoints: 0 }), ...events, ...objects])
}

describe('what is left out', () => {
  let runId: string
  let digest: string
  beforeAll(async () => {
    runId = await runNewsroom('gaps')
    await onbook('export', runId, '--data', 'gaps', '--output', 'whole.jsonl')
    const lines = readFileSync(join(folder, 'whole.jsonl'), 'utf8').split('\n')
    digest = JSON.parse(lines.find(line => line.includes('"type":"prompt.composed"'))!).payload.template
  })

  it('is listed, and a replay names each gap', async () => {
    const exported = await json('export', runId, '--data', 'gaps', '--output', 'less.jsonl', '--erase', digest)
    expect(exported).toMatchObject({ code: 0, erased: [digest] })
    expect(await json('verify', 'less.jsonl')).toMatchObject({ code: 0, intact: true, erased: 1 })
    const { code, identical, divergences } = await json('replay', 'less.jsonl')
    expect([code, identical]).toEqual([1, false])
    expect(divergences).toContainEqual(expect.objectContaining({ point: 'object', expected: digest, found: null }))
    expect(await json('show', 'less.jsonl')).toMatchObject({ code: 0, status: 'completed' })
    expect((await json('why', 'less.jsonl')).code).toBe(0)
  })

  it('is left out as well when it was erased here, and the file says so', async () => {
    expect((await onbook('erase', digest, '--data', 'gaps', '--why', 'asked for')).code).toBe(0)
    const exported = await json('export', runId, '--data', 'gaps', '--output', 'erased.jsonl')
    expect(exported).toMatchObject({ code: 0, erased: [digest] })
    // The file does not show whether an object was erased or left out.
    expect(readFileSync(join(folder, 'erased.jsonl'), 'utf8')).toBe(readFileSync(join(folder, 'less.jsonl'), 'utf8'))
  })

  it('is what comes after it, though a home is shared: the file stays the same', async () => {
    const desk = temporaryFolder('examples/why')
    const at = (...args: readonly string[]) => runCli(args, { cwd: desk })
    const run = ['run', 'workflows/story.yaml', '--provider', 'scripted', '--model', 'small', '--script', 'script.yaml', '--json']
    await at('sessions', 'create', 'desk', '--provider', 'scripted', '--model', 'small')
    await at('publish', '.')
    await at('label', 'editorial-house-style', 'production', '1.1.0', '--new')
    const first = JSON.parse((await at(...run)).out).runId
    const { out: before } = await at('export', first)
    const second = JSON.parse((await at(...run)).out).runId
    expect((await at('export', first)).out).toBe(before)
    expect(before).not.toContain(second)
    // A run that gets its config from a home session writes nothing into it: the file of another run contains the home, but nothing of the first run.
    const { out: after } = await at('export', second)
    expect(after).toContain('"stream":"session/desk"')
    expect(after).not.toContain(first)
  })
})
