// The outcome of a sync and of an apply, in the words that scripts rely on. Read from the events, never guessed.
import type { Json } from '../../core/digest/digest.ts'
import type { Selection } from '../../core/session/config.ts'
import { type ApplyWhen, fromRecorded, type SyncStage, sessionStream } from '../../core/session/events.ts'
import type { PackChange, Snapshot } from '../../core/session/snapshot.ts'
import { readTools } from '../../core/tools/read-tools.ts'
import type { Binding, Store } from '../../ports.ts'
import { preludeSecrets } from '../turns/prelude-secrets.ts'
import { refusalFault } from './requests.ts'
import type { SessionPlace, Submitted } from './submit.ts'
import type { SessionWork } from './work.ts'

export type SyncOutcome =
  | {
      readonly outcome: 'ready'
      readonly sync: number
      readonly snapshot: Snapshot
      readonly selection: Selection
      /** Packs with another version or text. */
      readonly packs: readonly PackChange[]
    }
  | { readonly outcome: 'unchanged'; readonly sync: number; readonly workspace: string; readonly version: number }
  | {
      readonly outcome: 'failed'
      readonly sync: number
      readonly workspace: string
      readonly stage: SyncStage
      readonly code: string
      readonly detail: string
    }

/** A requested sync, and the place in the stream from which to look for its outcome. */
export interface AskedFor {
  readonly sync: number
  readonly after: number
}

export async function askSync(
  store: Store,
  work: SessionWork,
  place: SessionPlace,
  asked: { readonly selection: Selection | null; readonly knownVersion?: number | null },
  keep: (asked: AskedFor) => { readonly key: string; readonly answer: Json } | undefined = () => undefined,
): Promise<{ readonly asked: AskedFor; readonly replayed: boolean }> {
  const { seq: after } = await store.head(place.tenant, sessionStream(place.session))
  const done = await work.submit(place, { type: 'requestSync', ...asked }, { idempotency: events => keep({ sync: syncIn(events), after }) })
  if (done.refusal !== null) throw refusalFault(done.refusal)
  return { asked: { sync: syncIn(done.events), after }, replayed: done.replayed !== null }
}

const syncIn = (events: Submitted['events']): number => events.find(event => event.type === 'workspace.syncRequested')?.sync ?? 0

/** Waits for it. Null when the signal aborts first. */
export async function syncOutcome(
  store: Store,
  { tenant, session }: SessionPlace,
  { sync, after }: AskedFor,
  signal: AbortSignal,
): Promise<SyncOutcome | null> {
  let workspace = ''
  for await (const { event: recorded } of store.follow(tenant, sessionStream(session), after, signal)) {
    const event = fromRecorded(recorded)
    switch (event.type) {
      case 'workspace.syncRequested':
        if (event.sync === sync) workspace = event.selection.workspace.name
        if (event.sync <= sync) break
        return {
          outcome: 'failed',
          sync,
          workspace,
          stage: 'resolve',
          code: 'sync_missing',
          detail: `sync ${event.sync} was asked for since`,
        }
      case 'workspace.snapshotReady':
        if (event.sync !== sync) break
        return { outcome: 'ready', sync, snapshot: event.snapshot, selection: event.selection, packs: event.packs ?? [] }
      case 'workspace.syncUnchanged':
        if (event.sync === sync) return { outcome: 'unchanged', sync, workspace: event.workspace, version: event.version }
        break
      case 'workspace.syncFailed': {
        const { type: _, ...failed } = event
        if (event.sync === sync) return { outcome: 'failed', ...failed }
      }
    }
  }
  return null
}

export type ApplyOutcome =
  | {
      readonly outcome: 'applied' | 'approved' | 'deferred'
      readonly when: ApplyWhen
      readonly at: 'now' | 'run' | 'step'
      readonly firstRun?: number
      readonly snapshot: Snapshot
    }
  | { readonly outcome: 'refused'; readonly when: ApplyWhen; readonly code: string; readonly message: string }

const OUTCOMES = { 'workspace.applied': 'applied', 'workspace.approved': 'approved', 'workspace.deferred': 'deferred' } as const

export function applyOutcome(events: Submitted['events'], when: ApplyWhen): ApplyOutcome | null {
  for (const event of events) {
    if (event.type === 'workspace.refused') return { outcome: 'refused', when, code: event.code, message: event.message }
    if (event.type === 'workspace.applied') return { outcome: OUTCOMES[event.type], when, at: event.at, snapshot: event.snapshot }
    if (event.type === 'workspace.approved' || event.type === 'workspace.deferred')
      return { outcome: OUTCOMES[event.type], when, at: event.at, firstRun: event.firstRun, snapshot: event.snapshot }
  }
  return null
}

export interface SyncWarning {
  readonly code: 'tool_unbound' | 'tool_ungranted' | 'catalog_legacy' | 'secret_used'
  readonly message: string
}

/** Warnings for a person who is about to apply the snapshot. They do not block it: the gate decides when a tool is called. */
export async function snapshotWarnings(
  store: Store,
  tenant: string,
  { prelude, catalog, legacy, workspace }: Snapshot,
  { bindings, mayUse }: { readonly bindings: ReadonlyMap<string, Binding>; readonly mayUse: (tool: string) => boolean },
): Promise<readonly SyncWarning[]> {
  const found: SyncWarning[] = []
  if (legacy)
    found.push({ code: 'catalog_legacy', message: `nothing in workspace ${workspace} names its tools: those in tools/ were taken` })
  for (const id of prelude === null ? [] : await preludeSecrets(store, tenant, prelude.digest))
    found.push({
      code: 'secret_used',
      message: `prompts/packs/${prelude!.name}.json sends the secret ${id} to the model, as the policy lets it`,
    })
  const read = catalog === null ? null : readTools(await store.object(tenant, catalog.digest))
  for (const { name } of read?.ok ? read.tools : []) {
    if (!bindings.has(name))
      found.push({ code: 'tool_unbound', message: `this host has no binding for ${name}: it is shown, and never runs` })
    else if (!mayUse(name)) found.push({ code: 'tool_ungranted', message: `no grant names ${name}: it is shown, and never runs` })
  }
  return found
}
