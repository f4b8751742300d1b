// Tests that a run recorded with one Node version replays the same with another, from the record and from its run file. In both directions.
import { cpSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { secondNode } from '../../../scripts/jobs/second-node.mjs'
import { runCli } from '../../testing/hosts/run-cli.ts'

const NEWSROOM = resolve('examples/newsroom')
const other = await secondNode(resolve('.'))

async function recordedUnder(node: string): Promise<{ readonly folder: string; readonly runId: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-nodes-'))
  cpSync(NEWSROOM, folder, { recursive: true })
  const typed = ['run', 'workflows/newsroom.yaml', '--input', '@input.json', '--script', 'script.yaml', '--json']
  const { runId } = JSON.parse((await runCli(typed, { cwd: folder, node })).out)
  expect((await runCli(['export', runId, '--output', 'run.jsonl'], { cwd: folder, node })).code).toBe(0)
  return { folder, runId }
}

describe.skipIf(other === null)('a run recorded under one Node', () => {
  it.each([
    ['this', 'the other', process.execPath, other!],
    ['the other', 'this', other!, process.execPath],
  ])('under %s: is the same under %s', async (_, __, recorder, replayer) => {
    const { folder: cwd, runId } = await recordedUnder(recorder)
    const replayed = async (ref: string, level: string, node: string) => {
      const { code, out } = await runCli(['replay', ref, '--level', level, '--json'], { cwd, node })
      const { identical, stateHash, events } = JSON.parse(out)
      return { code, identical, stateHash, events }
    }
    const known = await replayed(runId, '2', recorder)
    expect(known).toMatchObject({ code: 0, identical: true })
    for (const ref of [runId, 'run.jsonl'])
      for (const level of ['1', '2']) expect(await replayed(ref, level, replayer), `${ref} at level ${level}`).toEqual(known)
    await runCli(['export', runId, '--output', 'again.jsonl'], { cwd, node: replayer })
    expect(readFileSync(join(cwd, 'again.jsonl'), 'utf8')).toBe(readFileSync(join(cwd, 'run.jsonl'), 'utf8'))
  })
})
