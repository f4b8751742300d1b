// Steps as every release wrote them: a request is named by its content.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { digestJson, type Json } from '../digest/digest.ts'
import type { StepStarted } from './events.ts'

const FOLDER = 'fixtures/histories'
const RUNS = readdirSync(FOLDER).flatMap(name => (name.endsWith('.pem') ? [name.replace(/pem$/, 'jsonl')] : []))

it.each(RUNS)('%s names every request by its content', name => {
  const lines = readFileSync(`${FOLDER}/${name}`, 'utf8').trim().split('\n')
  const steps = lines.flatMap(line => {
    const { type, payload } = JSON.parse(line) as { readonly type?: string; readonly payload: StepStarted }
    return type === 'step.started' ? [payload] : []
  })
  expect(steps.length).toBeGreaterThan(0)
  for (const { request, requestHash } of steps) expect(digestJson(request as unknown as Json)).toBe(requestHash)
})
