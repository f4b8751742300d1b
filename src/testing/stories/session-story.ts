// Drives a session in memory as an engine would: decides, folds, keeps the objects to store, and answers syncs from files of the test.
import { type Digest, digestBytes, digestText } from '../../core/digest/digest.ts'
import { knownTo } from '../../core/session/coming-snapshot.ts'
import type { SessionCommand } from '../../core/session/commands.ts'
import { emptyConfig, type Selection, type SessionConfig } from '../../core/session/config.ts'
import { decide } from '../../core/session/decide.ts'
import type { Decided } from '../../core/session/draft.ts'
import type { NodeOfRun, SessionEvent } from '../../core/session/events.ts'
import { reduce } from '../../core/session/reduce.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import { emptySession, type SessionState } from '../../core/session/state.ts'
import { runPlan, type SyncPlan, workspaceSync } from '../../core/session/sync.ts'
import type { Answer, SyncResult, WorkspaceEffect } from '../../core/session/sync-effects.ts'

export type Files = Readonly<Record<string, string | Uint8Array>>

export const config = (fields: Partial<SessionConfig> = {}): SessionConfig => ({
  ...emptyConfig,
  provider: 'scripted',
  model: 'small',
  ...fields,
})

export const selection = (fields: Partial<Selection> & { readonly name?: string; readonly version?: number | null } = {}): Selection => {
  const { name = 'writer', version = null, ...rest } = fields
  return { workspace: { name, version }, prelude: null, catalog: null, ...rest }
}

/** The name of a text that a test need not store. */
export const named = (text: string): Digest => digestText(text)

/** Versions of one workspace, as an engine would read them. */
export interface Workspace {
  readonly name: string
  readonly versions: Files[]
}

const bytesOf = (content: string | Uint8Array): Uint8Array => (typeof content === 'string' ? new TextEncoder().encode(content) : content)

const roots = new WeakMap<Files, Digest>()

/** Hashed once: a sync compares the roots of all versions. */
export function rootOf(files: Files): Digest {
  const root = roots.get(files) ?? digestText(JSON.stringify(digestsOf(files)))
  roots.set(files, root)
  return root
}

const digestsOf = (files: Files) =>
  Object.entries(files)
    .map(([path, content]) => [path, digestBytes(bytesOf(content))])
    .sort()

/** The answer of an engine over this workspace. */
export function answer({ name, versions }: Workspace, effect: WorkspaceEffect): Answer {
  if (effect.workspace !== name) return { ok: true, value: null }
  if (effect.type === 'workspace.resolve') {
    const version = effect.version ?? versions.length
    const files = versions[version - 1]
    return { ok: true, value: files === undefined ? null : { version, root: rootOf(files) } }
  }
  const files = versions.find(one => rootOf(one) === effect.root)
  if (files === undefined) return { ok: false, code: 'workspace_not_allowed', detail: `no version of ${name} has this root` }
  const below = Object.keys(files).filter(path => path.startsWith(`${effect.path}/`))
  const content = Object.hasOwn(files, effect.path) ? files[effect.path]! : null
  switch (effect.type) {
    case 'workspace.readRef': {
      if (content === null) return { ok: true, value: below.length === 0 ? null : { kind: 'dir', digest: named(effect.path), size: 0 } }
      const bytes = bytesOf(content)
      return { ok: true, value: { kind: 'file', digest: digestBytes(bytes), size: bytes.length } }
    }
    case 'workspace.readBytes':
      return content === null ? { ok: false, code: 'file_missing', detail: effect.path } : { ok: true, value: bytesOf(content) }
    case 'workspace.list': {
      const names = new Set(below.map(path => path.slice(effect.path.length + 1)))
      const entries = [...names].map(path => path.split('/')).map(([first, ...rest]) => [first!, rest.length === 0] as const)
      const value = [...new Map(entries)].map(([name, isFile]) => ({ name, kind: isFile ? ('file' as const) : ('dir' as const) }))
      return { ok: true, value: value.length === 0 ? null : value.reverse() }
    }
  }
}

export interface SyncOptions {
  readonly plan?: SyncPlan
  readonly known?: Snapshot | null
  /** Puts something else in the place of an answer. */
  readonly meddle?: (effect: WorkspaceEffect, given: Answer) => Answer
}

/** Runs a plan to its end. */
export function runSync(
  workspace: Workspace,
  wanted: Selection,
  options: SyncOptions = {},
): { result: SyncResult; asked: WorkspaceEffect[] } {
  const { plan: chosen = workspaceSync, known = null, meddle = (_, given) => given } = options
  const running = runPlan(chosen, { selection: wanted, known, checkSchema: () => null })
  const asked: WorkspaceEffect[] = []
  let step = running.next()
  while (!step.done) {
    asked.push(step.value)
    step = running.next(meddle(step.value, answer(workspace, step.value)))
  }
  return { result: step.value, asked }
}

export interface Story {
  state: SessionState
  readonly events: SessionEvent[]
  readonly objects: Map<Digest, string>
}

export const blankStory = (): Story => ({ state: emptySession, events: [], objects: new Map() })

export function startStory(settings: Partial<SessionConfig> = {}): Story {
  const story = blankStory()
  must(story, { type: 'create', session: 'writer', config: config(settings) })
  return story
}

/** Sends a command and keeps its events, those of a refusal too. */
export function tell(story: Story, command: SessionCommand): Decided {
  const decided = decide(story.state, command)
  story.state = decided.events.reduce(reduce, story.state)
  story.events.push(...decided.events)
  if (decided.ok) for (const { digest, text } of decided.objects) story.objects.set(digest, text)
  return decided
}

export function must(story: Story, command: SessionCommand): readonly SessionEvent[] {
  const decided = tell(story, command)
  if (!decided.ok) throw new Error(`${command.type}: ${decided.code}: ${decided.message}`)
  return decided.events
}

/** Requests a sync and settles it. */
export function syncStory(story: Story, workspace: Workspace, wanted: Selection): SyncResult {
  must(story, { type: 'requestSync', selection: wanted })
  const { sync, selection: synced } = story.state.workspace.syncing!
  const { result } = runSync(workspace, synced, { known: knownTo(story.state, synced) })
  must(story, { type: 'settleSync', sync, result })
  return result
}

/** The node that works in a session of a test. */
export const PLACE: NodeOfRun = { runId: 'run-1', nodeId: 'writer' }
