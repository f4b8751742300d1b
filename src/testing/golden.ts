// Compares text with a file under fixtures/golden/ that a person has read. Writes it only when asked to, and never in CI.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'

export function expectGolden(name: string, text: string): void {
  const path = `fixtures/golden/${name}.txt`
  if (process.env.ONBOOK_GOLDEN === '1') {
    if (process.env.CI) throw new Error('Golden files are not written in CI: run this where you can read them')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return
  }
  expect(existsSync(path), `${path} is missing: write it with ONBOOK_GOLDEN=1, then read it`).toBe(true)
  expect(text).toBe(readFileSync(path, 'utf8'))
}
