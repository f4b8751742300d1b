// Gives a replayed node its recorded surroundings: its provider, the tools that the host showed, the snapshot that reached it. All of it
// comes
// from the next events of the source.
import type { Mode } from '../../core/compose/mode.ts'
import type { Track } from '../../core/fork/align.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import type { Store } from '../../ports.ts'
import { recordedHost } from '../replay/remake-step.ts'
import type { RecordedStart } from '../runs/start-node.ts'
import { SHIPPED } from '../turns/shipped.ts'
import type { NodeDesk, RecordedStep } from '../turns/start-step.ts'

export interface RecordedDesk extends Pick<NodeDesk, 'resumes' | 'calls' | 'hostCatalog'> {
  readonly recorded: RecordedStep
}

export async function recordedDesk(store: Store, tenant: string, nodeId: string, run: Track<RunEvent>, mode: Mode): Promise<RecordedDesk> {
  const step = nextOf(run, nodeId, 'step.started')
  const host = step === null ? null : await recordedHost(store, tenant, step, mode)
  return {
    resumes: () => host?.resumes === true,
    calls: async provider => callsIn(run, provider),
    recorded: {
      adopt: step?.apply === undefined || step.snapshot === null ? null : { snapshot: step.snapshot, apply: step.apply },
      shipped: host?.shipped ?? SHIPPED,
    },
    hostCatalog: host?.catalog ?? null,
  }
}

/** The recorded start of the node, or null if the record has none. */
export function recordedStart(run: Track<RunEvent>, nodeId: string): RecordedStart | null {
  const started = nextOf(run, nodeId, 'node.started')
  if (started === null) return null
  const { type: _type, nodeId: _nodeId, typeId: _typeId, visit: _visit, handoffs: _handoffs, again: _again, ...beginning } = started
  const after = run.kept.slice(run.kept.findIndex(({ event }) => event === started) + 1)
  const next = after.find(({ event }) => event.type !== 'handoff.delivered' && event.type !== 'message.taken')?.event
  // Its session was in use, or had nothing that it could start with: nothing was chosen or composed.
  const failed = next?.type === 'node.failed' && next.nodeId === nodeId ? next : null
  return { beginning, problem: failed === null ? null : { code: failed.code, message: failed.detail } }
}

function nextOf<T extends RunEvent['type']>(
  { kept, next }: Track<RunEvent>,
  nodeId: string,
  type: T,
): Extract<RunEvent, { readonly type: T }> | null {
  for (let at = next; at < kept.length; at += 1) {
    const { event } = kept[at]!
    if (event.type === type && 'nodeId' in event && event.nodeId === nodeId) return event as Extract<RunEvent, { readonly type: T }>
  }
  return null
}

/** A provider calls tools in one way. */
function callsIn({ kept }: Track<RunEvent>, provider: string): Calling {
  for (const { event } of kept)
    if (event.type === 'step.started' && event.request.parameters.provider === provider) return event.request.calls ?? 'native'
  return 'native'
}
