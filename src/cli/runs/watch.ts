// A run while it happens, on standard error: which node is at work, which prompt won and over what, what is said, what was allowed.
import pc from 'picocolors'
import type { Digest, Json } from '../../core/digest/digest.ts'
import { runEvent } from '../../core/run/events.ts'
import { clip, visible } from '../report/visible.ts'
import { useColor } from '../terminal.ts'
import { type Bodies, bodiesOf } from './bodies.ts'
import { type Line, linesOf, type Tone } from './format.ts'
import { type ReplyLines, replyLines } from './reply-lines.ts'
import type { ShownEvent, WatchedRuns } from './watched-runs.ts'

/** A reply of a megabyte must not bury the rest. */
const MOST_OF_A_REPLY = 4_000

export interface Watch {
  /** Shows what there is, and no more. */
  end(): Promise<void>
}

export function watchRun(runs: Omit<WatchedRuns, 'settled'>, runId: string, after: number): Watch {
  const stop = new AbortController()
  const page = pageOn(process.stderr)
  const bodies = bodiesOf(runs)
  const replies = new Map<string, ReplyLines>()
  /** Nodes that spoke before it was told that they were asked: what they say is shown when all of it is on record. */
  const early = new Set<string>()
  const heard = new Set<string>()
  const lineTools = new Map<string, ReadonlySet<string> | null>()
  let last = after

  const sayOf = (nodeId: string, lines: readonly string[]): void => {
    for (const text of lines) page.print({ nodeId, text: `  │ ${text}`, tone: 'dim' })
  }
  // Elsewhere than on a terminal nobody sees a reply grow, and what is read later should read the same every time.
  const hear = (nodeId: string): void => {
    if (!process.stderr.isTTY || heard.has(nodeId)) return
    heard.add(nodeId)
    runs.hear(runId, nodeId, stop.signal, text => {
      const reply = replies.get(nodeId)
      if (reply === undefined) early.add(nodeId)
      else sayOf(nodeId, reply.feed(text))
    })
  }
  const endReply = async (nodeId: string, digest: Digest | null): Promise<void> => {
    const whole = digest === null ? '' : clip((await bodies.said(digest)) ?? '', MOST_OF_A_REPLY)
    sayOf(nodeId, (replies.get(nodeId) ?? replyLines(lineTools.get(nodeId))).end(whole))
    replies.delete(nodeId)
    early.delete(nodeId)
  }
  const tell = async (event: ShownEvent): Promise<void> => {
    const told = runEvent({ type: event.type, payload: event.payload as unknown as Json })
    if (told.type === 'node.started') hear(told.nodeId)
    if (told.type === 'step.settled') await endReply(told.nodeId, told.reply)
    for (const line of await linesOf(told, bodies)) page.print(line)
    if (told.type === 'step.started') {
      lineTools.set(told.nodeId, await bodies.lineTools(told.request))
      if (!early.has(told.nodeId)) replies.set(told.nodeId, replyLines(lineTools.get(told.nodeId)))
    }
    last = event.seq
  }

  const following = (async () => {
    // Who is at work already is heard as well.
    for await (const event of runs.events(runId)) {
      if (event.seq === 0) page.widen(await nodesOf(event, bodies))
      if (event.seq > after) break
      if (event.type === 'node.started') hear(String(event.payload.nodeId))
    }
    for await (const event of runs.events(runId, { after, signal: stop.signal })) await tell(event)
  })()
  following.catch(() => {}) // whoever ends it is told
  return {
    async end() {
      stop.abort()
      await following
      for await (const event of runs.events(runId, { after: last })) await tell(event)
    },
  }
}

/** As the run froze them. */
async function nodesOf({ payload }: ShownEvent, bodies: Bodies): Promise<readonly string[]> {
  const kept = await bodies.json<{ readonly workflow: Digest }>(payload.frozen as Digest)
  const workflow = kept === null ? null : await bodies.json<{ readonly nodes: readonly { readonly id: string }[] }>(kept.workflow)
  return workflow?.nodes.map(({ id }) => id) ?? []
}

const WIDEST = 24

function pageOn(stream: NodeJS.WriteStream) {
  const color = pc.createColors(useColor(stream))
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    plain: text => text,
    strong: color.bold,
    dim: color.dim,
    good: color.green,
    bad: color.red,
  }
  let width = 'run'.length
  return {
    widen(names: readonly string[]) {
      width = Math.max(width, ...names.map(name => Math.min(name.length, WIDEST)))
    },
    print({ nodeId, text, tone }: Line) {
      const whom = visible(nodeId ?? 'run')
        .slice(0, WIDEST)
        .padEnd(width)
      stream.write(`${color.dim(whom)}  ${tones[tone](visible(text))}\n`)
    },
  }
}
