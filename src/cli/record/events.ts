// onbook events STREAM: what happened, oldest first; with --follow also what happens next.
import { Fault } from '../../errors.ts'
import type { Store, StoredEvent } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { safeJson, visible } from '../report/visible.ts'
import { numberOption } from '../terminal.ts'
import { tenantOf, withRecord } from './open-record.ts'
import { print } from './output.ts'

export const events = (input: Input): Promise<number> =>
  withRecord(input, async store => {
    const [tenant, stream] = [tenantOf(input), String(input.stream)]
    const after = numberOption(input.after, '--after', -1, { least: -1, most: Number.MAX_SAFE_INTEGER })
    if (!input.follow && (await store.head(tenant, stream)).seq < 0) throw new Fault('stream_missing', { stream })
    for await (const stored of eventsOf(store, tenant, stream, after, input.follow === true))
      await print(lineOf(stored, input.json === true))
    return 0
  })

function eventsOf(store: Store, tenant: string, stream: string, after: number, follow: boolean): AsyncIterable<StoredEvent> {
  if (!follow) return store.read(tenant, stream, after)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return store.follow(tenant, stream, after, stop.signal)
}

function lineOf({ event, bytes }: StoredEvent, json: boolean): string {
  // The bytes are hashed: a pipe gets them as they are.
  const line = Buffer.from(bytes).toString()
  if (json) return `${process.stdout.isTTY ? safeJson(line) : line}\n`
  const { seq, at, type, actor, payload } = event
  return `${[String(seq), at, type, actor, JSON.stringify(payload)].map(visible).join('  ')}\n`
}
