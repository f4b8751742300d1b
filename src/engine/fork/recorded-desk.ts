// What a node finds when it goes on in a run that is made again: what its provider was, which tools the host showed, what its home had. All from
// what its source recorded next.
import type { Mode } from '../../core/compose/mode.ts'
import type { Track } from '../../core/fork/align.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { StepStarted } from '../../core/turn/events.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import type { SessionEvent } from '../../core/session/events.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import type { Store } from '../../ports.ts'
import { hostCatalogOf } from '../replay/remake-step.ts'
import { shippedThen } from '../replay/shipped-then.ts'
import { SHIPPED } from '../turns/shipped.ts'
import type { HostCatalog, NodeDesk, RecordedHome } from '../turns/start-step.ts'

export interface RecordedDesk extends Pick<NodeDesk, 'resumes' | 'calls'> {
  readonly recorded: RecordedHome
  readonly hostCatalog: HostCatalog | null
}

export async function recordedDesk(
  store: Store,
  tenant: string,
  nodeId: string,
  run: Track<RunEvent>,
  session: Track<SessionEvent>,
  mode: Mode,
): Promise<RecordedDesk> {
  const step = nextStep(run, nodeId)
  return {
    resumes: () => step !== null && step.prompt.sent.reason !== 'cannot_resume',
    calls: async provider => callsIn(run, provider),
    recorded: {
      home: homeIn(session),
      offers: offersIn(session),
      shipped: async () => (step === null ? SHIPPED : shippedThen(store, tenant, step, mode)),
    },
    hostCatalog: step === null ? null : await hostCatalogOf(store, tenant, step.request.tools ?? [], mode === 'planning' ? 1 : 0),
  }
}

function nextStep({ kept, next }: Track<RunEvent>, nodeId: string): StepStarted | null {
  for (let at = next; at < kept.length; at += 1) {
    const { event } = kept[at]!
    if (event.type === 'step.started' && event.nodeId === nodeId) return event
  }
  return null
}

/** A provider calls tools in one way. */
function callsIn({ kept }: Track<RunEvent>, provider: string): Calling {
  for (const { event } of kept)
    if (event.type === 'step.started' && event.request.parameters.provider === provider) return event.request.calls ?? 'native'
  return 'native'
}

function homeIn({ kept }: Track<SessionEvent>): RecordedHome['home'] {
  const [first] = kept
  if (first?.event.type !== 'session.created') return null
  const { home, config, snapshot } = first.event
  return { session: home?.session ?? null, config, workspace: { active: snapshot } }
}

/** What reached it before its next step. */
function offersIn({ kept, next }: Track<SessionEvent>): readonly SessionCommand[] {
  const ahead = kept.slice(next).map(({ event }) => event)
  const until = ahead.findIndex(({ type }) => type === 'step.started')
  return ahead
    .slice(0, Math.max(0, until))
    .flatMap(event =>
      event.type === 'workspace.approved' ? [{ type: 'offerSnapshot', snapshot: event.snapshot, selection: event.selection } as const] : [],
    )
}
