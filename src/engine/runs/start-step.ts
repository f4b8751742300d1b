// The next step of a node: its prompt is composed and put on record, and only then is it asked for. Nothing is sent here.

import type { Handoff } from '../../core/compose/task-payload.ts'
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { decideRun, emitRun, type RunDraft } from '../../core/run/decide.ts'
import { followSession } from '../../core/run/follow.ts'
import { nodeOf } from '../../core/run/state.ts'
import { offerTo, snapshotAtStep } from '../../core/session/apply.ts'
import type { SessionCommand, WhichStep } from '../../core/session/commands.ts'
import type { SessionConfig } from '../../core/session/config.ts'
import type { StoredText } from '../../core/session/history.ts'
import { preludeOf } from '../../core/session/prelude-ladder.ts'
import type { SessionState, WorkspaceState } from '../../core/session/state.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import type { Descriptor } from '../../core/tools/catalog.ts'
import type { Store } from '../../ports.ts'
import { catalogText } from '../sessions/catalog-text.ts'
import { loadSession } from '../sessions/load.ts'
import { composeStep } from './compose-step.ts'
import { type DecidedSession, decideAll } from './decide-session.ts'
import type { LoadedFrozen } from './frozen.ts'
import type { LoadedRun } from './load.ts'
import { deliveries, lettersOf, mailTo } from './mail.ts'
import { SHIPPED, type Shipped } from './shipped.ts'
import { protocolOf, shownTools, stepTools } from './step-tools.ts'
import { agentOf, composeStyle } from './task.ts'

/** What is known about a node when its session is to go on. */
export interface NodeDesk {
  readonly store: Store
  readonly tenant: string
  readonly nodeId: string
  readonly session: string
  readonly run: LoadedRun
  readonly frozen: LoadedFrozen
  /** What it is handed in this very commit; otherwise they are read. */
  readonly handoffs?: readonly Handoff[]
  /** Whether a provider keeps conversations. */
  readonly resumes: (provider: string) => boolean
  readonly calls: (provider: string) => Promise<Calling>
  /** Of a run that is made again: what was found beside it then. Otherwise it is looked at. */
  readonly recorded?: RecordedHome
}

export interface RecordedHome {
  /** For a session that is to be made; null when there was none. */
  readonly home: {
    readonly session: string | null
    readonly config: SessionConfig
    readonly workspace: Pick<WorkspaceState, 'active'>
  } | null
  /** What it had applied for the next step. */
  readonly offers: readonly SessionCommand[]
  /** What shipped when it was started. */
  readonly shipped: () => Promise<Shipped>
}

export interface HostCatalog {
  readonly digest: Digest
  readonly bytes: Uint8Array
}

export function storedCatalog(descriptors: readonly Descriptor[]): HostCatalog {
  const text = catalogText(descriptors)
  return { digest: digestText(text), bytes: new TextEncoder().encode(text) }
}

export interface StartedStep {
  readonly run: RunDraft
  /** Null when the run does not go on: then nothing happens in the session. */
  readonly decided: DecidedSession | null
  readonly texts: readonly StoredText[]
  readonly objects: readonly Uint8Array[]
}

/** @param draft the run, with what is to be written before the step */
export async function startStep(
  desk: NodeDesk,
  draft: RunDraft,
  before: SessionState,
  of: WhichStep,
  hostCatalog: HostCatalog | null,
): Promise<StartedStep> {
  const { store, tenant, nodeId, frozen, handoffs } = desk
  const offers = desk.recorded?.offers ?? (await offersOf(desk, before))
  const mail = await mailTo(store, tenant, draft.state, nodeId)
  const letters = lettersOf(draft.state.runId, mail)
  const { state: session } = decideAll(before, offers)
  const { workflow } = frozen
  const checked = decideRun(draft, workflow, { type: 'checkStep', nodeId })
  if (!('events' in checked)) return { run: draft, decided: null, texts: [], objects: [] }
  if (checked.events.length > draft.events.length) return { run: checked, decided: null, texts: [], objects: [] }

  const node = workflow.nodes.find(({ id }) => id === nodeId)!
  const { state } = draft
  const prelude = session.run === null ? [] : preludeOf(session.run.config, snapshotAtStep(session)).prelude
  const resumes = nodeOf(state, nodeId).conversation !== null && desk.resumes(session.run?.config.provider ?? '')
  const given = handoffs === undefined ? {} : { handoffs }
  const calling = await desk.calls(session.run?.config.provider ?? '')
  const listed = frozen.spawned.get(nodeId)?.node.tools ?? agentOf(frozen, node)?.toolAllowlist ?? null
  const { blocks: shipped, planning } = (await desk.recorded?.shipped()) ?? SHIPPED
  const tools = await stepTools(store, tenant, session, hostCatalog, { listed, mode: state.mode, calling, planning })
  const isUnmentioned = calling === 'native' && composeStyle(frozen, node) === 'verbatim'
  const protocol = protocolOf(calling, isUnmentioned ? [] : await shownTools(store, tenant, session, hostCatalog, tools))
  const place = { store, tenant, run: { ...desk.run, state }, frozen, node, ...given }
  const composed = await composeStep({ ...place, snapshot: snapshotAtStep(session), resumes, prelude, protocol, shipped })
  const told = emitRun(draft, ...composed.events)
  const ended = (run: RunDraft, command: SessionCommand, texts: readonly StoredText[]): StartedStep => {
    const decided = decideAll(before, [command])
    const followed = followSession(run, workflow, nodeId, decided.events, { before, after: decided.state }, {})
    return { run: followed, decided, texts, objects: decided.objects }
  }
  if (!composed.ok) return ended(told, { type: 'failRun', code: composed.code, detail: composed.detail }, composed.texts)

  const { system, user, prompt } = composed
  const shown = { ...(tools === null ? {} : { toolDigests: tools.toolDigests }), ...(calling === 'native' ? {} : { calls: calling }) }
  const command: SessionCommand = { type: 'startStep', of, hostCatalog: hostCatalog?.digest ?? null, ...shown, system, user }
  const decided = decideAll(before, [...offers, ...letters.commands, command])
  const started = decided.events.find(event => event.type === 'step.started')
  if (started === undefined) return ended(draft, command, [])
  const { step, request, requestHash, snapshot } = started
  const run = emitRun(told, ...deliveries(nodeId, mail), {
    type: 'step.started',
    nodeId,
    session: desk.session,
    step,
    prompt,
    request,
    requestHash,
    snapshot,
  })
  const catalog = hostCatalog === null ? [] : [hostCatalog.bytes]
  return {
    run,
    decided,
    texts: [...composed.texts, ...letters.texts],
    objects: [...catalog, ...(tools?.objects ?? []), ...decided.objects],
  }
}

/** What its home has applied at the boundary of a step reaches the node here: nobody has to tell it, so nobody can forget. */
async function offersOf({ store, tenant }: NodeDesk, session: SessionState): Promise<readonly SessionCommand[]> {
  const home = session.home?.session ?? null
  const offer = home === null ? null : offerTo((await loadSession(store, tenant, home)).state, session)
  return offer === null ? [] : [{ type: 'offerSnapshot', ...offer }]
}
