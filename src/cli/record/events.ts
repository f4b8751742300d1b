// onbook store events STREAM: lists recorded events, oldest first; with --follow also new ones.

import { tenantOf, withRecord } from '../../book/record-folder.ts'
import { Fault } from '../../errors.ts'
import type { Store, StoredEvent } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { limitOf } from '../report/page.ts'
import { safeJson, visible } from '../report/visible.ts'
import { numberOption } from '../terminal.ts'
import { print } from './output.ts'

export const events = (input: Input): Promise<number> =>
  withRecord(input, async store => {
    const [tenant, stream] = [tenantOf(input), String(input.stream)]
    const after = numberOption(input.after, '--after', -1, { least: -1, most: Number.MAX_SAFE_INTEGER })
    if (!input.follow && (await store.head(tenant, stream)).seq < 0) throw new Fault('stream_missing', { stream })
    // With --follow there is no default limit.
    const most = input.follow && input.limit === undefined ? Infinity : limitOf(input)
    let last = after
    let count = 0
    for await (const stored of eventsOf(store, tenant, stream, after, input.follow === true)) {
      if (count++ === most) {
        await tellRest(store, tenant, stream, last, input)
        break
      }
      await print(lineOf(stored, input.json === true))
      last = stored.event.seq
    }
    return 0
  })

async function tellRest(store: Store, tenant: string, stream: string, last: number, { json, follow }: Input): Promise<void> {
  const left = (await store.head(tenant, stream)).seq - last
  if (!json && !follow)
    process.stderr.write(`${left} more are not shown. The next: --after ${last}. All of them: --limit ${last + left + 1}, or --json\n`)
}

function eventsOf(store: Store, tenant: string, stream: string, after: number, follow: boolean): AsyncIterable<StoredEvent> {
  if (!follow) return store.read(tenant, stream, after)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return store.follow(tenant, stream, after, stop.signal)
}

function lineOf({ event, bytes }: StoredEvent, json: boolean): string {
  // The bytes are hashed: a pipe gets them unchanged.
  const line = Buffer.from(bytes).toString()
  if (json) return `${process.stdout.isTTY ? safeJson(line) : line}\n`
  const { seq, at, type, actor, payload } = event
  return `${[String(seq), at, type, actor, JSON.stringify(payload)].map(visible).join('  ')}\n`
}
