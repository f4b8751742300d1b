// Folder: Keys, and the things that each key may reach. It holds no secret.
// Creates, finds, uses and revokes API keys, and records each change.
import {
  type AccessKey,
  HOST_ACTOR,
  KEYS,
  keyActor,
  keyCreatedDraft,
  keyRevokedDraft,
  keyRows,
  keyText,
  keyUsedDraft,
  readKeyText,
  type Scope,
} from '../../core/access/keys.ts'
import { digestText } from '../../core/digest/digest.ts'
import { type EventDraft, streamFamily } from '../../core/record/event.ts'
import type { ProjectedRow } from '../../core/record/projection.ts'
import { Fault } from '../../errors.ts'
import type { Clock, Randomness, Store } from '../../ports.ts'
import { HOST_TENANT } from '../library/rows.ts'
import { remembered } from '../reading/remembered.ts'
import { optimisticRetry } from '../work/optimistic-retry.ts'

export interface KnownKey extends AccessKey {
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly revoked: boolean
}

/** Who asks. */
export interface Principal {
  readonly keyId: string
  /** As the record names them. */
  readonly actor: string
  readonly tenant: string
  readonly scopes: readonly Scope[]
  readonly workspaces: readonly string[]
  /** The program that the host is part of. It has the files of the host, and needs no permission in them. */
  readonly isOperator?: true
  /** The commit of the checkout that a command is called in. */
  readonly commit?: string | null
}

export interface KeyRequest {
  readonly tenant: string
  readonly scopes: readonly Scope[]
  readonly workspaces?: readonly string[]
  readonly expiresAt?: string | null
  readonly actor: string
}

/** The text of the key is returned once and stored nowhere. */
export async function createKey(
  store: Store,
  randomness: Randomness,
  request: KeyRequest,
): Promise<{ readonly id: string; readonly key: string }> {
  const { tenant, scopes, workspaces = [], expiresAt = null, actor } = request
  if (tenant === HOST_TENANT)
    throw new Fault('usage_invalid', { problem: `tenant ${HOST_TENANT} is the host itself; no key belongs to it` })
  const [id, secret] = [randomness(8, 'hex'), randomness(32, 'base64url')]
  await appendHostEvent(store, KEYS, keyCreatedDraft({ id, secretHash: digestText(secret), tenant, scopes, workspaces, expiresAt }, actor))
  return { id, key: keyText(id, secret) }
}

export async function revokeKey(store: Store, id: string, actor: string): Promise<void> {
  if ((await findKey(store, id)) === null) throw new Fault('key_missing', { id })
  await appendHostEvent(store, KEYS, keyRevokedDraft(id, actor))
}

export async function listKeys(store: Store): Promise<readonly KnownKey[]> {
  const found: KnownKey[] = []
  for await (const row of store.rows(keyRows.table, HOST_TENANT)) found.push(toKey(row))
  return found
}

const findKey = (store: Store, id: string): Promise<KnownKey | null> =>
  remembered(store, [streamFamily(KEYS)], JSON.stringify(['key', id]), async () => {
    for await (const row of store.rows(keyRows.table, HOST_TENANT, { id })) return toKey(row)
    return null
  })

/** Null for every key that does not open, whatever the reason: a caller learns nothing from it. */
export async function authenticate(store: Store, clock: Clock, text: string): Promise<Principal | null> {
  const read = readKeyText(text)
  // Read before the lookup: its result may be old by the time it arrives.
  const proved = provedIn(store)
  const key = read === null ? null : await findKey(store, read.id)
  // The time of comparing hashes reveals nothing about the secret.
  if (read === null || key === null || digestText(read.secret) !== key.secretHash) return null
  if (!isValid(key, clock)) return null
  if (proved.size >= MOST_PROVED) proved.clear()
  const principal = toPrincipal(key)
  proved.set(text, { key, principal })
  return principal
}

interface Proved {
  readonly key: KnownKey
  readonly principal: Principal
}

/** Keys as they were shown, in memory alone, for as long as the store has written nothing. */
const provedKeys = new WeakMap<Store, { readonly moment: string; readonly proved: Map<string, Proved> }>()
const MOST_PROVED = 1_000

function provedIn(store: Store): Map<string, Proved> {
  const moment = store.moment()
  const cached = provedKeys.get(store)
  if (cached?.moment === moment) return cached.proved
  const proved = new Map<string, Proved>()
  provedKeys.set(store, { moment, proved })
  return proved
}

/**
 * The cached principal of a key that was authenticated since the store's last write. Null decides nothing: the caller must authenticate.
 */
export function provedPrincipal(store: Store, clock: Clock, text: string): Principal | null {
  const cached = provedIn(store).get(text)
  return cached !== undefined && isValid(cached.key, clock) ? cached.principal : null
}

/** For credentials that were derived from a key and expire with it. */
export async function principalOfKey(store: Store, clock: Clock, id: string): Promise<Principal | null> {
  const key = await findKey(store, id)
  return key !== null && isValid(key, clock) ? toPrincipal(key) : null
}

/** A time that cannot be read is over. */
const isValid = ({ revoked, expiresAt }: KnownKey, clock: Clock): boolean =>
  !revoked && (expiresAt === null || Date.parse(expiresAt) > Date.parse(clock()))

const toPrincipal = ({ id, tenant, scopes, workspaces }: KnownKey): Principal => ({
  keyId: id,
  actor: keyActor(id),
  tenant,
  scopes,
  workspaces,
})

/** Whether a valid key exists that the host did not create itself. */
export async function hasOperatorKey(store: Store, clock: Clock): Promise<boolean> {
  const valid = new Set((await listKeys(store)).filter(key => isValid(key, clock)).map(({ id }) => id))
  for await (const { event } of store.read(HOST_TENANT, KEYS, -1))
    if (event.type === 'key.created' && event.actor !== HOST_ACTOR && valid.has((event.payload as { readonly id: string }).id)) return true
  return false
}

/** Written down at most once a minute and key, and never in the way of a request. */
export const noteUse = (store: Store, id: string, at: string): Promise<void> => appendHostEvent(store, KEYS, keyUsedDraft(id, at))

/** Appends after any concurrent events. */
export async function appendHostEvent(store: Store, stream: string, draft: EventDraft): Promise<void> {
  await optimisticRetry(async () => {
    const { seq } = await store.head(HOST_TENANT, stream)
    return store.commit({ tenant: HOST_TENANT, appends: [{ stream, expected: seq, entries: [draft] }] })
  })
}

function toKey({ cells }: ProjectedRow): KnownKey {
  return {
    id: String(cells.id),
    secretHash: String(cells.secretHash),
    tenant: String(cells.owner),
    scopes: JSON.parse(String(cells.scopes)) as Scope[],
    workspaces: JSON.parse(String(cells.workspaces)) as string[],
    createdAt: String(cells.createdAt),
    expiresAt: cells.expiresAt === null ? null : String(cells.expiresAt),
    lastUsedAt: cells.lastUsedAt === null ? null : String(cells.lastUsedAt),
    revoked: cells.revoked === 1,
  }
}
