// Folder: Keys and scopes as the record has them. It holds no secret.
// The recorded facts about access keys. Never their secrets.
import type { Json } from '../digest/digest.ts'
import type { EventDraft } from '../record/event.ts'
import type { Projection } from '../record/projection.ts'

/** One stream for all keys of a host, under the host's own tenant. */
export const KEYS = 'access/keys'

/** The actor of an event: a key, or the host when it acts by itself. */
export const HOST_ACTOR = 'onbook'
export const keyActor = (keyId: string): string => `key:${keyId}`

export const SCOPES = [
  'prompts:read',
  'prompts:write',
  'prompts:render',
  'labels:write',
  'labels:protect',
  'record:read',
  'metrics:read',
  'workspaces:read',
  'workspaces:write',
  'sessions:read',
  'sessions:write',
  'objects:read',
  'objects:write',
  'tools:read',
  'tools:write',
  'workflows:read',
  'workflows:write',
  'agents:read',
  'agents:write',
  'runs:create',
  'runs:read',
  'runs:cancel',
  'runs:write',
  'approvals:read',
  'approvals:write',
] as const
export type Scope = (typeof SCOPES)[number]

/** The default scopes of a key. Metrics count the traffic of all tenants, so a key has them only on request. */
export const TENANT_SCOPES: readonly Scope[] = SCOPES.filter(scope => scope !== 'metrics:read')

export interface AccessKey {
  readonly id: string
  /** The SHA-256 of the secret: it is long and random, so a slow hash would add nothing. */
  readonly secretHash: string
  readonly tenant: string
  readonly scopes: readonly Scope[]
  readonly workspaces: readonly string[]
  readonly expiresAt: string | null
}

export const keyCreatedDraft = (key: AccessKey, actor: string): EventDraft => ({
  type: 'key.created',
  actor,
  payload: key as unknown as Json,
})
export const keyRevokedDraft = (id: string, actor: string): EventDraft => ({ type: 'key.revoked', actor, payload: { id } })
export const keyUsedDraft = (id: string, lastUsedAt: string): EventDraft => ({
  type: 'key.used',
  actor: HOST_ACTOR,
  payload: { id, lastUsedAt },
})

export const keyRows: Projection = {
  table: 'keys',
  columns: {
    id: 'text',
    secretHash: 'text',
    owner: 'text',
    scopes: 'text',
    workspaces: 'text',
    createdAt: 'text',
    expiresAt: 'text',
    lastUsedAt: 'text',
    revoked: 'integer',
  },
  key: ['id'],
  indexes: [['id']],
  from: {
    'key.created': [
      {
        put: {
          id: 'payload.id',
          secretHash: 'payload.secretHash',
          owner: 'payload.tenant',
          scopes: 'payload.scopes',
          workspaces: 'payload.workspaces',
          createdAt: 'at',
          expiresAt: 'payload.expiresAt',
          revoked: { always: 0 },
        },
      },
    ],
    'key.revoked': [{ put: { id: 'payload.id', revoked: { always: 1 } } }],
    'key.used': [{ put: { id: 'payload.id', lastUsedAt: 'payload.lastUsedAt' } }],
  },
}

const TEXT = /^onbook_([0-9a-f]{16})_([0-9A-Za-z_-]{43})$/

/** `onbook_<id>_<secret>`; null for anything else. */
export function readKeyText(text: string): { readonly id: string; readonly secret: string } | null {
  const match = TEXT.exec(text)
  return match === null ? null : { id: match[1]!, secret: match[2]! }
}

/** A key names the workspaces it may use; `*` is all of them. */
export const isMember = (workspaces: readonly string[], workspace: string): boolean =>
  workspaces.includes('*') || workspaces.includes(workspace)

export const keyText = (id: string, secret: string): string => `onbook_${id}_${secret}`
