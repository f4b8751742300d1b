// Recorded runs of every release: in every step each byte of the prompt is in exactly one span, and all spans together have the prompt's digest.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exportedStore } from '../../adapters/exported-run/exported-store.ts'
import { digestText } from '../../core/digest/digest.ts'
import { loadReading } from '../runs/read-run.ts'
import { blameRun } from './blame.ts'

const FOLDER = 'fixtures/histories'
const isRunFile = (path: string) => /^\{[^\n]*"run":/.test(readFileSync(path, 'utf8').slice(0, 100_000).split('\n')[0]!)
const paths = readdirSync(FOLDER)
  .filter(name => name.endsWith('.jsonl'))
  .map(name => join(FOLDER, name))
  .filter(isRunFile)

it.each(paths)('%s', async path => {
  const { store, header } = await exportedStore(path)
  const { steps } = await loadReading(store, header.tenant, header.run)
  expect(steps.length).toBeGreaterThan(0)
  for (const { nodeId, visit, step, prompt } of steps) {
    const [answer] = await blameRun(store, header.tenant, header.run, { nodeId, visit, step })
    const { spans, promptHash } = answer!
    expect([promptHash, digestText(spans.map(({ text }) => text).join(''))]).toEqual([prompt.full, prompt.full])
    expect(
      spans.every(({ start, end, text }, index) => start === (spans[index - 1]?.end ?? 0) && end - start === Buffer.byteLength(text)),
    ).toBe(true)
    // Every span in a template that is not the template's own text has a source.
    const unknown = spans.filter(
      ({ template, variable, source }) => template !== null && variable !== null && !variable.startsWith('@') && source === null,
    )
    expect(unknown).toEqual([])
  }
  await store.close()
})
