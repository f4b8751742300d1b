// A host in this process for as long as one command takes. A command that only reads writes nothing, and reads a record that cannot be written.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { memoryStore } from '../adapters/memory-store/memory-store.ts'
import { repoRoles } from '../adapters/repo/repo-roles.ts'
import { runStream } from '../core/run/events.ts'
import { PRODUCT_PROJECTIONS } from '../engine/record/projections.ts'
import { loadRun } from '../engine/runs/load.ts'
import { onDemand } from '../engine/runs/ownership/on-demand.ts'
import { providersFor } from '../engine/runs/start/providers.ts'
import { newestRun } from '../engine/sessions/sessions.ts'
import type { TurnParts } from '../engine/turns/performing.ts'
import { createHost } from '../host/app.ts'
import type { Binding, Store } from '../ports.ts'
import type { Embedded } from './embedded.ts'
import { hostConfigOf } from './host-config.ts'
import { embeddedAccess } from './in-process-fetch.ts'
import { openSessions } from './open-sessions.ts'
import { policyOf } from './policy-file.ts'
import { openProductStore } from './product-store.ts'
import { actorOf, clock, databaseOf, existingDatabase, tenantOf } from './record-folder.ts'
import { repoOf } from './repo-folder.ts'
import { livingHost } from './running-host.ts'
import type { Settings } from './settings.ts'

export interface CommandParts {
  /** When the folder has no record: the command is refused (the default), makes one, or reads an empty one in memory. */
  readonly record?: 'existing' | 'made' | 'optional'
  /** The policy decides about something: its revision goes on record first. */
  readonly judges?: boolean
  readonly tools: readonly Binding[]
  ready(providers: ReadonlySet<string>): Promise<void>
  readonly failed: TurnParts['failed']
}

/** Work that ends with the command. */
export interface LocalWork {
  /** Resolves when nothing of the run is under way here, or another process has claimed it. */
  idle(runId: string): Promise<void>
  /** The same for a session and its newest run. */
  sessionIdle(session: string): Promise<void>
  /** The providers that a run asks. */
  providers(runId: string): Promise<ReadonlySet<string>>
}

export async function embedCommand(settings: Settings, parts: CommandParts): Promise<Embedded & { readonly local: LocalWork }> {
  const { record = 'existing', judges = false, tools, ready, failed } = parts
  const [tenant, actor] = [tenantOf(settings), actorOf()]
  const store = storeFor(settings, record)
  try {
    const policy = await policyOf(settings, judges ? store : null)
    const sessions = openSessions(store, settings, policy, failed, tools)
    const mayConduct = () => livingHost(settings) === null
    const runs = onDemand(sessions.runs, store, { ready, mayConduct, newOwner: () => `cli-${randomUUID()}` })
    const access = embeddedAccess(actor, tenant)
    const app = createHost({
      store,
      clock,
      config: hostConfigOf(settings),
      sessions: { ...sessions, runs },
      roles: repoRoles(repoOf(settings)),
      ...access.host,
      // A person at a terminal reads results, and no warnings of an operator.
      logs: { level: 'error' },
    })
    return {
      client: access.client(app),
      local: {
        async idle(runId) {
          const stop = new AbortController()
          await Promise.race([runs.quiet(tenant, runId), claimed(store, tenant, runId, stop.signal)]).finally(() => stop.abort())
        },
        async sessionIdle(session) {
          await sessions.work.quiet(tenant, session)
          const runId = await newestRun(store, tenant, session)
          if (runId !== null) await runs.quiet(tenant, runId)
        },
        providers: async runId => providersFor(store, tenant, (await loadRun(store, tenant, runId)).state),
      },
      async close() {
        await app.close()
        await sessions.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

function storeFor(settings: Settings, record: NonNullable<CommandParts['record']>): Store {
  if (record === 'existing') existingDatabase(settings)
  const isMissing = record === 'optional' && !existsSync(databaseOf(settings))
  return isMissing ? memoryStore(clock, PRODUCT_PROJECTIONS) : openProductStore(settings)
}

/** Resolves when another process claims the run. */
async function claimed(store: Store, tenant: string, runId: string, signal: AbortSignal): Promise<void> {
  const { seq } = await loadRun(store, tenant, runId)
  for await (const { event } of store.follow(tenant, runStream(runId), seq, signal)) if (event.type === 'run.claimed') return
}
