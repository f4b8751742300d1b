// A host on a port of its own, with keys for every principal that a test needs.
import { randomBytes } from 'node:crypto'
import { sqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts'
import { verifyTenant } from '../../book/verify-file.ts'
import { versionChecker } from '../../book/version-checker.ts'
import { SCOPES, type Scope } from '../../core/access/keys.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import { createKey } from '../../engine/access/access.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { adoptedTools, type ToolServers } from '../../engine/tools/adopted-tools.ts'
import { createHost, type HostParts } from '../../host/app.ts'
import { DEFAULT_CONFIG, type HostConfig } from '../../host/config.ts'
import type { HostedSessions } from '../../host/hosted-sessions.ts'
import type { Store } from '../../ports.ts'
import { type HostRoute, withRoutes } from '../fuzz/host-routes.ts'
import { clock, freshPath } from '../stores/sqlite-place.ts'
import { testSessions } from './test-sessions.ts'

export interface Answered {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the test that asks knows the type of its answer
  readonly body: any
}

export interface Asking {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly key?: string | null
}

export interface TestHost {
  readonly url: string
  readonly store: Store
  /** The sessions of the host, unless the test gave others, or null. */
  readonly sessions: HostedSessions
  /** A key of tenant acme, with every scope. */
  readonly key: string
  /** All there are. */
  readonly routes: readonly HostRoute[]
  ask(method: string, path: string, asking?: Asking): Promise<Answered>
  /** A member of every workspace, unless it is given some, as `onbook key create` makes them. */
  makeKey(
    tenant: string,
    scopes?: readonly Scope[],
    more?: { workspaces?: readonly string[]; expiresAt?: string },
  ): Promise<{ id: string; key: string }>
  close(): Promise<void>
}

const randomness = (bytes: number, as: 'hex' | 'base64url') => randomBytes(bytes).toString(as)

/** Null: the host does no session work. */
type TestParts = Partial<Omit<HostParts, 'sessions'>> & { readonly sessions?: HostedSessions | null; readonly servers?: ToolServers }

export async function startHost(config: Partial<HostConfig> = {}, parts: TestParts = {}): Promise<TestHost> {
  const path = freshPath()
  const store = parts.store ?? sqliteStore(path, clock, PRODUCT_PROJECTIONS)
  const verify: NonNullable<HostParts['verify']> = (tenant, pause) => verifyTenant(path, tenant, null, pause)
  // Tests knock often, all from one address.
  const limits = { failuresPerMinute: 0, ...parts.limits }
  const { sessions: given, servers = new Map(), ...others } = parts
  const own = { ...testSessions(store), servers, adopted: adoptedTools(store, servers), offers: () => true }
  const sessions = given === undefined ? own : given
  const { app, routes } = withRoutes(() =>
    createHost({
      store,
      clock,
      config: { ...DEFAULT_CONFIG, ...config },
      ...(sessions === null ? {} : { sessions }),
      testSeams: true,
      checker: versionChecker(own.validator),
      ...(parts.store === undefined ? { verify } : {}),
      logs: { level: 'error' },
      ...others,
      limits,
    }),
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const makeKey: TestHost['makeKey'] = (tenant, scopes = SCOPES, more = {}) =>
    createKey(store, randomness, { tenant, scopes, workspaces: ['*'], actor: 'test', ...more })
  const { key: first } = await makeKey('acme')

  return {
    url,
    store,
    sessions: sessions ?? own,
    key: first,
    routes,
    makeKey,
    async ask(method, path, { body, headers = {}, key = first } = {}) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: body instanceof Uint8Array || typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await answer.text()
      const json = answer.headers.get('content-type')?.startsWith('application/json')
      return { status: answer.status, headers: answer.headers, body: text === '' ? null : json ? JSON.parse(text) : text }
    },
    async close() {
      await app.close()
      await own.close()
      await store.close()
    },
  }
}

export const template = (templateId: string, more: Partial<LibraryTemplate> = {}): LibraryTemplate => ({
  templateId,
  version: '1.0.0',
  kind: 'system',
  text: 'Write about {{topic}}.',
  variables: [{ name: 'topic', type: 'string', required: true }],
  ...more,
})
