// Tests a client in another language that is generated from the OpenAPI document alone.
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startHost, type TestHost } from '../testing/hosts/start-host.ts'

let host: TestHost
beforeAll(async () => {
  host = await startHost()
})
afterAll(() => host.close())

async function python(script: string, ...args: readonly string[]): Promise<unknown> {
  const child = spawn('python3', [script, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  // The test fails on a machine without Python: it is never skipped silently.
  const ended = new Promise<number | null>((settle, fail) => child.once('error', fail).once('close', settle))
  child.stdin.end(host.key)
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out)
}

it('creates a prompt, labels it, renders it, starts a run and reads it', async () => {
  expect(await python('src/testing/hosts/generated-client.py', host.url)).toMatchObject({
    made: { templateId: 'greeting', version: '1.0.0' },
    labels: { labels: expect.arrayContaining([expect.objectContaining({ label: 'live', version: '1.0.0', why: 'first' })]) },
    rendered: { composed: 'Greet Ada.', refs: ['prompt:greeting@1.0.0'] },
    started: { runId: expect.any(String) },
    run: { runId: expect.any(String), workflowId: 'hello' },
    listed: { items: [expect.objectContaining({ workflowId: 'hello' })] },
  })
})
