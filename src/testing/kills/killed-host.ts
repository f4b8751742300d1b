// A host in a process of its own that is killed sooner or later, and the answers that its client received until then.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

export interface KilledHost {
  readonly child: ChildProcess
  /** `opened`, `listening`, `noted` for every line that a tool wrote, and `told` for every event of a run. */
  readonly signs: EventEmitter
  readonly ended: Promise<unknown>
  /** Where it is; null when it was killed before it said so. */
  readonly url: Promise<string | null>
  /** Its error output. */
  complaints(): string
}

const SCRIPT = resolve('src/testing/kills/run-host.mjs')

/** Its model is asked under the name of the host, so that everybody knows who asks. */
export function startKilledHost(path: string, lines: string, chat: string, owner: string): KilledHost {
  const env = { ...process.env, OPENAI_COMPATIBLE_BASE_URL: `${chat}/${owner}` }
  const child = spawn(process.execPath, [SCRIPT, path, lines, owner], { stdio: 'pipe', env })
  let complaints = ''
  child.stderr.on('data', chunk => {
    complaints += chunk
  })
  const signs = new EventEmitter()
  const ended = once(child, 'close')
  const url = new Promise<string | null>(found => {
    createInterface({ input: child.stdout! }).on('line', line => {
      const isUrl = line.startsWith('http:')
      if (isUrl) found(line)
      signs.emit(isUrl ? 'listening' : line)
    })
    void ended.then(() => found(null))
  })
  return { child, signs, ended, url, complaints: () => complaints }
}

/** The client's knowledge of its run: it comes back after every kill, with the events that it has received so far. */
export interface Client {
  /** Null until it was answered. */
  runId: string | null
  /** Events as they were sent, by sequence. */
  readonly told: Map<number, string>
}

/** Until the run is over, or the host is gone: whether it is over. */
export async function follow({ url, signs }: KilledHost, key: string, client: Client, name: string, signal: AbortSignal): Promise<boolean> {
  const at = await url
  if (at === null) return false
  const authorization = `Bearer ${key}`
  try {
    if (client.runId === null) {
      // A client without an answer does not know whether the run is on record, and asks again.
      const headers = { authorization, 'content-type': 'application/json', 'idempotency-key': name }
      const answer = await fetch(`${at}/v1/runs`, { method: 'POST', headers, body: JSON.stringify({ workflowId: 'twenty' }), signal })
      const body = (await answer.json()) as { readonly runId: string }
      if (answer.status !== 201) throw new Error(`the run was not accepted: ${JSON.stringify(body)}`, { cause: 'refused' })
      client.runId = body.runId
    }
    const last = Math.max(-1, ...client.told.keys())
    const headers = { authorization, ...(last < 0 ? {} : { 'last-event-id': String(last) }) }
    const answer = await fetch(`${at}/v1/runs/${client.runId}/events?streamMode=debug`, { headers, signal })
    if (answer.status !== 200 && answer.status !== 204) throw new Error(`the run is not there: ${answer.status}`, { cause: 'refused' })
    for await (const [id, data] of eventsIn(answer.body)) {
      client.told.set(id, data)
      signs.emit('told')
    }
    const end = client.told.get(Math.max(-1, ...client.told.keys()))
    return answer.status === 204 || /^\{[^{]*"type":"run\.(?:completed|failed|cancelled)"/.test(end ?? '')
  } catch (error) {
    if ((error as Error).cause === 'refused') throw error
    return false
  }
}

const APPROVE_EVERY_MS = 25

/** A person who approves every request, now and then twice at once. An answer that a dying host missed goes to the next one. */
export async function approveAll({ url }: KilledHost, key: string, signal: AbortSignal): Promise<void> {
  const at = await url
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ decision: 'approved' })
  const approve = ({ approval }: { readonly approval: string }) =>
    fetch(`${at}/v1/approvals/${approval}`, { method: 'POST', headers, body, signal })
  while (at !== null && !signal.aborted) {
    try {
      const answer = await fetch(`${at}/v1/approvals`, { headers, signal })
      const { items } = (await answer.json()) as { readonly items: readonly { readonly approval: string }[] }
      await Promise.all(items.flatMap(one => (Math.random() < 0.5 ? [approve(one), approve(one)] : [approve(one)])))
    } catch {
      // Killed, or stopped for a while.
    }
    await pause(APPROVE_EVERY_MS)
  }
}

async function* eventsIn(body: ReadableStream<Uint8Array> | null): AsyncIterable<readonly [id: number, data: string]> {
  if (body === null) return
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const blocks = text.split('\n\n')
    // The last one may be cut off, so it does not count as received.
    text = blocks.pop()!
    for (const block of blocks) {
      const id = /^id: ?(\d+)$/m.exec(block)?.[1]
      if (id !== undefined) yield [Number(id), /^data: ?(.*)$/m.exec(block)![1]!]
    }
  }
}

export async function kill({ child, ended, complaints }: KilledHost): Promise<void> {
  child.kill('SIGKILL')
  await ended
  assert.equal(complaints(), '')
}

/**
 * The longest time that a host may be stopped in the middle of a commit, with the record locked: less than the others wait for the lock.
 */
const LONGEST_FROZEN_MS = 3_000

/** Lets a host that was stopped go on, when another has taken its place and it should know nothing of that. */
export async function thaw({ child }: KilledHost, { url }: KilledHost): Promise<void> {
  await Promise.race([url, new Promise(resume => setTimeout(resume, LONGEST_FROZEN_MS))])
  child.kill('SIGCONT')
}

/** When its time is up: at any moment of its life. */
export async function doom({ signs, ended }: KilledHost, heard: EventEmitter): Promise<void> {
  const below = (most: number): number => Math.floor(Math.random() * most)
  const gone = new AbortController()
  void ended.then(() => gone.abort())
  const after = async (emitter: EventEmitter, sign: string, times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await once(emitter, sign, { signal: gone.signal })
  }
  const later = (most: number): Promise<void> => new Promise(resume => setTimeout(resume, below(most)))
  const ways: readonly (() => Promise<void>)[] = [
    () => after(signs, 'opened', 1).then(() => later(100)),
    () => after(signs, 'listening', 1).then(() => later(400)),
    () => after(signs, 'told', 1 + below(80)),
    () =>
      after(signs, 'opened', 1)
        .then(() => after(heard, 'heard', 1 + below(10)))
        .then(() => later(30)),
    () => after(signs, 'noted', 1 + below(2)),
  ]
  await ways[below(ways.length)]!().catch(() => {})
}
