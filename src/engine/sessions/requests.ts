// Prepares client requests to sessions for core: reads configs, turns texts into objects, builds selectors. Decides nothing.
import { type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import { writeMessage } from '../../core/messages/message.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import { unanswered } from '../../core/messages/unanswered.ts'
import type { RunCommand } from '../../core/run/decide.ts'
import { pointerText } from '../../core/schema/pointer.ts'
import { readSessionConfig, type Selection, type SessionConfig, selectionOf } from '../../core/session/config.ts'
import type { SessionRefusal } from '../../core/session/draft.ts'
import type { LeftMessage } from '../../core/session/events.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { headOf, resolveWorkspace } from '../workspaces/versions.ts'

export function configOf(value: Json): SessionConfig {
  const read = readSessionConfig(value)
  if (read.ok) return read.config
  const { pointer, message } = read.problems[0]!
  throw new Fault('validation_error', {
    problem: `${pointer.length === 0 ? 'The config' : `${pointerText(pointer)} of the config`} ${message}`,
  })
}

/** Throws for a config that names a workspace, or a version of one, that is not there. */
export async function checkWorkspace(store: Store, tenant: string, { workspace: selector }: SessionConfig): Promise<void> {
  if (selector === null) return
  const { name, version } = selector
  const found = await resolveWorkspace(store, { tenant, policy: EVERYTHING }, { workspace: name, version: version ?? undefined })
  if (found.exists) return
  const head = await headOf(store, tenant, name)
  if (head === null || version === null) throw new Fault('workspace_missing', { workspace: name })
  throw new Fault('workspace_version_missing', { workspace: name, version, head: head.version })
}

/** A text, a message, or the digest of a stored message. */
export type GivenMessage = string | { readonly digest: Digest } | JsonObject

export interface MessageObject {
  readonly digest: Digest
  /** To be stored with the event that names them. */
  readonly objects: readonly Uint8Array[]
}

/** A text is always a text, whatever it looks like: it is stored as a message of the user. */
export async function messageObject(store: Store, tenant: string, given: GivenMessage): Promise<MessageObject> {
  if (typeof given === 'string') return stored(writeMessage({ role: 'user', content: [{ type: 'text', text: given }] }))
  if (isNamed(given)) {
    const found = readMessages(await store.object(tenant, given.digest))
    const problem = found.ok ? unanswered(found.messages) : found.problem.message
    if (problem !== null) throw new Fault('object_malformed', { digest: given.digest, problem })
    return { digest: given.digest, objects: [] }
  }
  const read = readMessages(new TextEncoder().encode(JSON.stringify(given)))
  if (!read.ok) throw new Fault('validation_error', { problem: `The message cannot be used: ${read.problem.message}` })
  const problem = unanswered(read.messages)
  if (problem !== null) throw new Fault('validation_error', { problem: `The message cannot be used: ${problem}` })
  if (read.messages.length !== 1) throw new Fault('validation_error', { problem: `There must be one message, not ${read.messages.length}` })
  return stored(writeMessage(read.messages[0]!))
}

const isNamed = (given: JsonObject | { readonly digest: Digest }): given is { readonly digest: Digest } =>
  isObject(given as Json) && typeof given.digest === 'string' && !('role' in given)

const stored = (text: string): MessageObject => ({ digest: digestText(text), objects: [new TextEncoder().encode(text)] })

/** A client's command to a session with an active run. Messages can also be queued before a run. */
export interface AskedCommand {
  readonly kind: LeftMessage['kind'] | 'pause' | 'resume' | 'cancel' | 'complete'
  readonly reason?: string | undefined
}

/** Builds the message of a command that carries one. Throws when it is missing. */
export function leftMessage(id: string, kind: LeftMessage['kind'], message: Digest | undefined): LeftMessage {
  if (message === undefined) throw new Fault('validation_error', { problem: `A ${kind} needs a message` })
  return { kind, id, message }
}

/** The command to the run that is at work in the session. */
export function runCommandFor(nodeId: string, id: string, { kind, reason }: AskedCommand, message: Digest | undefined): RunCommand {
  switch (kind) {
    case 'pause':
      return { type: 'pause' }
    case 'resume':
      return { type: 'resume' }
    case 'cancel':
      return { type: 'cancel', reason: reason ?? null }
    case 'complete':
      return { type: 'turn', nodeId, command: { type: 'complete' } }
    default:
      return { type: 'turn', nodeId, command: { type: 'leaveMessage', message: leftMessage(id, kind, message) } }
  }
}

/** A field that is left out keeps its default; null clears it. */
export interface AskedSync {
  readonly workspace?: string
  readonly version?: number | null
  readonly prelude?: string | null
  readonly catalog?: string | null
}

/** A request that names a workspace replaces the whole selection. A request without one changes the selection of the session's config. */
export function selectionFor(config: SessionConfig, { workspace, version, prelude, catalog }: AskedSync): Selection {
  const usual = workspace === undefined ? selectionOf(config) : null
  const name = workspace ?? usual?.workspace.name
  if (name === undefined) throw new Fault('workspace_unset', { problem: 'The session names no workspace; name one in the request' })
  const chosen = <T>(given: T | null | undefined, otherwise: T | null | undefined): T | null =>
    given === undefined ? (otherwise ?? null) : given
  return {
    workspace: { name, version: chosen(version, usual?.workspace.version) },
    prelude: chosen(prelude, usual?.prelude),
    catalog: chosen(catalog, usual?.catalog),
  }
}

/** Turns a refusal of core into a fault for the caller. */
export function refusalFault({ code, message }: { readonly code: string; readonly message: string }): Fault {
  // Every refusal of a session is a fault of the same name: without one, this does not compile.
  return new Fault(code as SessionRefusal, { problem: `${message[0]!.toUpperCase()}${message.slice(1)}` })
}

export const sessionMissing = (session: string): Fault =>
  refusalFault({ code: 'session_missing', message: `there is no session ${session}; create it first` })
