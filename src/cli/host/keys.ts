// onbook key: creates, lists and revokes keys of the host.

import { openProductStore, randomness } from '../../book/product-store.ts'
import { actorOf, clock, existingDatabase, tenantOf } from '../../book/record-folder.ts'
import { SCOPES, type Scope, TENANT_SCOPES } from '../../core/access/keys.ts'
import { isWorkspaceName } from '../../core/workspace/path.ts'
import { createKey, type KnownKey, listKeys, revokeKey } from '../../engine/access/access.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { firstRows } from '../report/page.ts'
import { choiceOption, printJson } from '../terminal.ts'
import { printLoginLink } from './login-link.ts'

export const create = (input: Input): Promise<number> => withStore(input, createOne)
export const list = (input: Input): Promise<number> => withStore(existing(input), listAll)
export const revoke = (input: Input): Promise<number> => withStore(existing(input), revokeOne)

export async function login(input: Input): Promise<number> {
  await printLoginLink(input)
  return 0
}

/** Only `key create` may create a record. */
function existing(input: Input): Input {
  existingDatabase(input)
  return input
}

async function withStore(input: Input, act: (store: Store, input: Input) => Promise<void>): Promise<number> {
  const store = openProductStore(input)
  try {
    await act(store, input)
    return 0
  } finally {
    await store.close()
  }
}

async function createOne(store: Store, input: Input): Promise<void> {
  const scopes = scopesOf(input.scopes)
  const { id, key } = await createKey(store, randomness, {
    tenant: tenantOf(input),
    scopes,
    workspaces: workspacesOf(input.workspaces),
    expiresAt: expiryOf(input.expires),
    actor: actorOf(),
  })
  if (input.json) printJson({ id, key })
  else process.stdout.write(`${key}\nKeep it: it is shown once. Its id is ${id}.\n`)
}

function scopesOf(given: unknown): readonly Scope[] {
  const named = String(given ?? 'all').split(',')
  const scopes = named.map(scope => choiceOption<Scope | 'all'>(scope.trim(), 'a scope', ['all', ...SCOPES]))
  return [...new Set(scopes.flatMap(scope => (scope === 'all' ? TENANT_SCOPES : [scope])))]
}

function workspacesOf(given: unknown): readonly string[] {
  const names =
    given === undefined
      ? ['*']
      : String(given)
          .split(',')
          .map(name => name.trim())
  const wrong = names.find(name => name !== '*' && !isWorkspaceName(name))
  if (wrong !== undefined) throw new Fault('workspace_name_invalid', { name: wrong })
  return names
}

function expiryOf(given: unknown): string | null {
  if (given === undefined) return null
  const at = new Date(String(given))
  if (Number.isNaN(at.getTime()))
    throw new Fault('usage_invalid', { problem: `--expires must be a date such as 2027-01-31, not "${String(given)}"` })
  const expiresAt = at.toISOString()
  if (expiresAt <= clock()) throw new Fault('usage_invalid', { problem: `--expires must be a date to come, not "${String(given)}"` })
  return expiresAt
}

async function listAll(store: Store, input: Input): Promise<void> {
  const found = (await listKeys(store)).filter(({ tenant }) => input.tenant === undefined || tenant === input.tenant)
  const all = firstRows(found, input)
  const shown = all.map(({ secretHash: _, ...key }) => key)
  if (input.json) printJson({ keys: shown })
  else if (all.length === 0) process.stdout.write('No keys yet: onbook key create\n')
  else process.stdout.write(columns([['id', 'tenant', 'state', 'last used', 'workspaces', 'scopes'], ...all.map(row)]))
}

const row = ({ id, tenant, revoked, expiresAt, lastUsedAt, workspaces, scopes }: KnownKey): readonly string[] => [
  id,
  tenant,
  stateOf(revoked, expiresAt),
  lastUsedAt ?? 'never',
  workspacesText(workspaces),
  scopes.join(','),
]

/** `*` means the existing workspaces of the tenant; it does not allow any further name. */
function workspacesText(workspaces: readonly string[]): string {
  if (workspaces.includes('*')) return 'all that exist'
  return workspaces.length === 0 ? 'none' : workspaces.join(',')
}

function stateOf(revoked: boolean, expiresAt: string | null): string {
  if (revoked) return 'revoked'
  if (expiresAt === null) return 'valid'
  return `${expiresAt <= clock() ? 'expired' : 'until'} ${expiresAt}`
}

async function revokeOne(store: Store, input: Input): Promise<void> {
  const id = String(input.id)
  await revokeKey(store, id, actorOf())
  if (input.json) printJson({ revoked: id })
  else process.stdout.write(`Key ${id} is revoked.\n`)
}
