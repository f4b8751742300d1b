// Starts the next step of a node: composes its prompt and records it. Sends nothing.

import type { Mode } from '../../core/compose/mode.ts'
import type { Handoff } from '../../core/compose/task-payload.ts'
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { decideRun } from '../../core/run/decide.ts'
import { emitRun, type RunDraft } from '../../core/run/draft.ts'
import { segmentsText } from '../../core/run/reading/stored-segments.ts'
import { repeatHash } from '../../core/run/repeat.ts'
import { nodeOf } from '../../core/run/state.ts'
import { type AdoptedSnapshot, adoptedAtStep } from '../../core/session/apply.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import type { Descriptor } from '../../core/tools/catalog.ts'
import type { StartStep } from '../../core/turn/commands.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import type { Turn } from '../../core/turn/state.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import { deliverLetters } from '../runs/graph/mail.ts'
import type { LoadedRun } from '../runs/load.ts'
import type { LoadedFrozen } from '../runs/start/frozen.ts'
import type { LoadSession } from '../runs/write-run.ts'
import { catalogText } from './catalog-text.ts'
import { makeStep } from './make-step.ts'
import { SHIPPED, type Shipped } from './shipped.ts'
import type { StoredCatalog } from './step-tools.ts'
import { isDirect } from './task.ts'

/** Everything that is known about a node when its turn goes on. */
export interface NodeDesk {
  readonly store: Store
  readonly tenant: string
  readonly nodeId: string
  readonly run: LoadedRun
  readonly frozen: LoadedFrozen
  readonly hostCatalog: StoredCatalog | null
  readonly load: LoadSession
  /** Handed over in this very commit; otherwise they are read. */
  readonly handoffs?: readonly Handoff[]
  /** Whether a provider keeps conversations. */
  readonly resumes: (provider: string) => boolean
  readonly calls: (provider: string) => Promise<Calling>
  /** In a replay: the host values that the source recorded. Left out: they are looked up. */
  readonly recorded?: RecordedStep
}

export interface RecordedStep {
  /** The snapshot that reached the turn at this step; null for none. */
  readonly adopt: AdoptedSnapshot | null
  /** The built-in texts at the time when the step started. */
  readonly shipped: Shipped
}

export function storedCatalog(descriptors: readonly Descriptor[]): StoredCatalog {
  const text = catalogText(descriptors)
  return { digest: digestText(text), bytes: new TextEncoder().encode(text) }
}

export interface StartedStep {
  readonly draft: RunDraft
  readonly texts: readonly StoredText[]
  readonly objects: readonly Uint8Array[]
}

const nothing = (draft: RunDraft): StartedStep => ({ draft, texts: [], objects: [] })

/** @param draft the run, with the events that are written before the step */
export async function startStep(desk: NodeDesk, draft: RunDraft, step: number): Promise<StartedStep> {
  const { store, tenant, nodeId, frozen } = desk
  const checked = decideRun(draft, frozen.workflow, { type: 'checkStep', nodeId })
  if (!('events' in checked)) return nothing(draft)
  if (checked.events.length > draft.events.length) return nothing(checked)
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)!
  const { turn } = nodeOf(draft.state, nodeId)
  if (turn === null) return nothing(draft)
  const boundary = await boundaryOf(desk, draft, turn)
  const { snapshot } = boundary.adopt ?? turn
  const made = isDirect(node) ? direct(desk, draft) : await composed(desk, draft, node, { ...turn, snapshot })
  const draftWithPrompt = emitRun(boundary.draft, ...made.events)
  if (!made.ok) return { ...nothing(fail(draftWithPrompt, desk, made)), texts: made.texts }
  const letters = await deliverLetters(store, tenant, draftWithPrompt, frozen.workflow, nodeId)
  const adopted = boundary.adopt === null ? {} : { adopt: boundary.adopt }
  const started = decideRun(letters.draft, frozen.workflow, { type: 'turn', nodeId, command: { ...made.command, step, ...adopted } })
  if (!('events' in started)) return nothing(fail(draft, desk, { code: started.code, detail: started.message }))
  const catalog = desk.hostCatalog === null ? [] : [desk.hostCatalog.bytes]
  return { draft: started, texts: [...made.texts, ...letters.texts], objects: [...catalog, ...made.objects] }
}

function fail(
  draft: RunDraft,
  { frozen, nodeId }: NodeDesk,
  { code, detail }: { readonly code: string; readonly detail: string },
): RunDraft {
  const ruling = decideRun(draft, frozen.workflow, { type: 'failNode', nodeId, code, detail })
  return 'events' in ruling ? ruling : draft
}

interface Boundary {
  readonly draft: RunDraft
  readonly adopt: AdoptedSnapshot | null
}

/**
 * A snapshot that was applied at the boundary of a step reaches the node here, unless the run brought a snapshot of its own along. The
 * commit expects its home as it was read.
 */
async function boundaryOf({ load, recorded, nodeId }: NodeDesk, draft: RunDraft, turn: Turn): Promise<Boundary> {
  if (recorded !== undefined) return { draft, adopt: recorded.adopt }
  const { direct } = draft.state
  const { home, session } = nodeOf(draft.state, nodeId)
  if (home === null) return { draft, adopt: null }
  const { state } = await load(home)
  const isOwn = session === home
  const guarded = { ...draft, sessions: [...draft.sessions, { session: home, command: { type: 'reachStep', isOwn } as const }] }
  return { draft: guarded, adopt: direct?.snapshot == null ? adoptedAtStep(state, turn, isOwn) : null }
}

interface Made {
  readonly events: RunDraft['events']
  readonly texts: readonly StoredText[]
}

type Starting =
  | ({ readonly ok: true; readonly command: Omit<StartStep, 'step' | 'adopt'>; readonly objects: readonly Uint8Array[] } & Made)
  | ({ readonly ok: false; readonly code: string; readonly detail: string } & Made)

/** A session that is asked directly sends its prelude and its history, and nothing else. */
function direct({ hostCatalog }: NodeDesk, { state: { mode } }: RunDraft): Starting {
  const { prompt, texts } = emptyPrompt(mode)
  const command = {
    type: 'startStep',
    prompt,
    system: null,
    user: null,
    toolDigests: null,
    hostCatalog: hostCatalog?.digest ?? null,
  } as const
  return { ok: true, command, objects: [], events: [], texts }
}

async function composed(desk: NodeDesk, { state }: RunDraft, node: WorkflowNode, turn: Turn): Promise<Starting> {
  const { store, tenant, nodeId, frozen, handoffs } = desk
  const { provider } = turn.config
  const given = handoffs === undefined ? {} : { handoffs }
  const made = await makeStep(
    { store, tenant, run: { ...desk.run, state }, frozen, node, turn, ...given },
    {
      calling: await desk.calls(provider),
      resumes: nodeOf(state, nodeId).conversation !== null && desk.resumes(provider),
      catalog: desk.hostCatalog,
      shipped: desk.recorded?.shipped ?? SHIPPED,
    },
  )
  if (!made.composed.ok) return made.composed
  const { system, user, prompt, events, texts } = made.composed
  return { ok: true, command: { type: 'startStep', prompt, system, user, ...made.shown }, objects: made.catalogs, events, texts }
}

/** The prompt of a step that composes nothing: a session run sends its messages as they are. */
const stored = (text: string): StoredText => ({ digest: digestText(text), text })

const FULL = stored('')
const SEGMENTS = stored(segmentsText([]))
const REPEAT: Digest = repeatHash([])

const emptyPrompt = (mode: Mode): { readonly prompt: PromptRecord; readonly texts: readonly StoredText[] } => ({
  prompt: {
    full: FULL.digest,
    blocks: {},
    segments: SEGMENTS.digest,
    templates: [],
    mode,
    repeatHash: REPEAT,
    sent: { kind: 'full', reason: 'cannot_resume', text: null, headerHash: FULL.digest, held: 0 },
  },
  texts: [FULL, SEGMENTS],
})
