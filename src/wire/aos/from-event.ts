// Reads an event of AgentOS as a request to a session. A client may ask for a sync, an apply, a run, and for commands to the open run.
// The host records all other events itself, and refuses a client that sends one.
import { type Digest, isDigest, type Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import type { Selection, SessionConfig } from '../../core/session/config.ts'
import type { ApplyWhen } from '../../core/session/events.ts'
import { fromAosApplyMode, fromAosBinding, fromAosSessionConfig, isNat } from './config.ts'
import { readVariant } from './variant.ts'

export interface AosCommand {
  readonly kind: 'steer' | 'follow-up' | 'pause' | 'resume' | 'cancel' | 'complete'
  /** Null where the event has no id. */
  readonly id: string | null
  readonly text?: string
  readonly reason?: string
  /** The run number; null for the open run. */
  readonly run: number | null
  /** The session epoch that the caller expects; null for any. */
  readonly epoch: number | null
}

export type AosRequest =
  | { readonly type: 'sync'; readonly selection: Selection; readonly knownVersion: number | null }
  | { readonly type: 'apply'; readonly when: ApplyWhen }
  | { readonly type: 'run'; readonly input: Digest | null; readonly overrides: SessionConfig | null }
  | { readonly type: 'command'; readonly command: AosCommand }

export const ACCEPTED = [
  'WorkspaceSyncRequested',
  'WorkspaceApplyRequested',
  'RunRequested',
  'HostCommandReceived',
  'RunCompleted',
  'RunCancelled',
] as const

/** The request, or the reason why the event is refused. */
export function fromAosEvent(value: Json, session: string): AosRequest | string {
  if (!isObject(value)) return 'the body is not an event of AgentOS: send an object with the key event'
  if ((value.session_id ?? session) !== session) return `session_id is not ${session}`
  const read = readVariant(value.event)
  if (read === null) return 'event is not a variant: send {"$tag": NAME, "$value": {…}}'
  const { tag, value: payload } = read
  if (!(ACCEPTED as readonly string[]).includes(tag)) return `the host records ${tag} itself; a client sends ${ACCEPTED.join(', ')}`
  return requestOf(tag as (typeof ACCEPTED)[number], payload, runIn(value.run_id, null)) ?? `the value of ${tag} is malformed`
}

function requestOf(tag: (typeof ACCEPTED)[number], payload: JsonObject, run: number | null): AosRequest | null {
  switch (tag) {
    case 'WorkspaceSyncRequested': {
      const { prompt_pack: prelude = null, tool_catalog: catalog = null, known_version: knownVersion = null } = payload
      const workspace = fromAosBinding(payload.workspace_binding)
      const isRead = isTextOrNull(prelude) && isTextOrNull(catalog) && isNatOrNull(knownVersion)
      return workspace === null || !isRead ? null : { type: 'sync', selection: { workspace, prelude, catalog }, knownVersion }
    }
    case 'WorkspaceApplyRequested': {
      const when = fromAosApplyMode(payload.mode)
      return when === null ? null : { type: 'apply', when }
    }
    case 'RunRequested': {
      const { input_ref: input = null, run_overrides = null } = payload
      const overrides = run_overrides === null ? null : fromAosSessionConfig(run_overrides)
      const isRead = (run_overrides === null) === (overrides === null) && (input === null || isHash(input))
      return isRead ? { type: 'run', input, overrides } : null
    }
    case 'RunCompleted':
      return { type: 'command', command: { kind: 'complete', id: null, run, epoch: null } }
    case 'RunCancelled': {
      const { reason = null } = payload
      return isTextOrNull(reason) ? { type: 'command', command: { kind: 'cancel', ...reasonOf(reason), id: null, run, epoch: null } } : null
    }
    case 'HostCommandReceived':
      return fromHostCommand(payload)
  }
}

const KINDS = { Steer: 'steer', FollowUp: 'follow-up', Pause: 'pause', Resume: 'resume', Cancel: 'cancel' } as const
const COMMAND_ID = /^[A-Za-z0-9._~-]{1,128}$/

function fromHostCommand({ command_id: id, target_run_id, expected_session_epoch: epoch = null, command }: JsonObject): AosRequest | null {
  const read = readVariant(command)
  if (read === null || !Object.hasOwn(KINDS, read.tag) || !isText(id) || !COMMAND_ID.test(id) || !isNatOrNull(epoch)) return null
  const kind = KINDS[read.tag as keyof typeof KINDS]
  const about = { id, run: runIn(target_run_id, null), epoch }
  const { text, reason = null } = read.value
  if (kind === 'steer' || kind === 'follow-up')
    return isText(text) && text !== '' ? { type: 'command', command: { kind, text, ...about } } : null
  return isTextOrNull(reason) ? { type: 'command', command: { kind, ...reasonOf(reason), ...about } } : null
}

const reasonOf = (reason: string | null) => (reason === null || reason === '' ? {} : { reason })

const runIn = <T>(id: Json | undefined, otherwise: T): number | T => (isObject(id) && isNat(id.run_seq) ? id.run_seq : otherwise)
const isText = (value: Json | undefined): value is string => typeof value === 'string'
const isTextOrNull = (value: Json): value is string | null => value === null || isText(value)
const isHash = (value: Json | undefined): value is Digest => isText(value) && isDigest(value)
const isNatOrNull = (value: Json): value is number | null => value === null || isNat(value)
