// onbook store streams: lists the streams of the record.

import { tenantOf, withRecord } from '../../book/record-folder.ts'
import { CHECKPOINTS } from '../../core/record/checkpoint.ts'
import type { StreamHead } from '../../core/record/event.ts'
import { sealedStreams } from '../../core/record/projections.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { firstRows } from '../report/page.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'

interface Listed {
  readonly stream: string
  readonly events: number
  readonly unsealed: number
  readonly head: string | null
}

export const streams = (input: Input): Promise<number> =>
  withRecord(input, async store => {
    const tenant = tenantOf(input)
    const listed = firstRows(await list(store, tenant), input)
    if (input.json) printJson({ tenant, streams: listed })
    else if (listed.length === 0) {
      const others = (await store.tenants()).filter(name => name !== tenant)
      const known = others.length === 0 ? '' : ` There are tenants: ${others.join(', ')}.`
      process.stdout.write(`${visible(`No streams of tenant ${tenant}.${known}`)}\n`)
    } else {
      const rows = listed.map(({ stream, events, unsealed, head }) => [stream, String(events), String(unsealed), head?.slice(0, 19) ?? ''])
      process.stdout.write(columns([['stream', 'events', 'unsealed', 'head'], ...rows]))
    }
    return 0
  })

async function list(store: Store, tenant: string): Promise<readonly Listed[]> {
  const sealed = new Map<string, number>()
  for await (const { cells } of store.rows(sealedStreams.table, tenant)) sealed.set(String(cells.sealed), Number(cells.last))
  const listed: Listed[] = []
  for await (const head of store.streams(tenant)) listed.push(toListed(head, sealed.get(head.stream) ?? -1))
  return listed
}

const toListed = ({ stream, seq, digest }: StreamHead, sealed: number): Listed => ({
  stream,
  events: seq + 1,
  unsealed: stream === CHECKPOINTS ? 0 : seq - sealed,
  head: digest,
})
