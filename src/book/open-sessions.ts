// Composes the work of sessions and runs: models, secrets, tools, policy. The one place where all of them meet.
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { environmentSecrets, secretsFrom, tenantSecrets } from '../adapters/keys/secrets.ts'
import { mcpToolServer } from '../adapters/mcp/mcp-tool-server.ts'
import type { McpServerSettings } from '../adapters/mcp/settings.ts'
import { repoDetails } from '../adapters/repo/repo-details.ts'
import { repoRoles } from '../adapters/repo/repo-roles.ts'
import { knownTo, scrubKnown } from '../adapters/scrub/scrub-known.ts'
import { stoppedSchemas } from '../adapters/validator/stopped-schemas.ts'
import { workerValidator } from '../adapters/validator/worker-validator.ts'
import { canonicalJson, type Json } from '../core/digest/digest.ts'
import { isListed } from '../core/gate/grants.ts'
import { gateRules, type HostPolicy, sessionPolicy } from '../core/gate/host-policy.ts'
import { type PlacedPolicy, POLICY_FILE } from '../core/gate/read-policy.ts'
import type { RunWarning } from '../core/run/warning.ts'
import { GRAPH_DESCRIPTORS } from '../core/tools/graph-descriptors.ts'
import { introspectSession } from '../engine/bindings/introspect-session.ts'
import { workspaceRead } from '../engine/bindings/workspace-read.ts'
import { forkWork } from '../engine/fork/forks.ts'
import type { RunWorld } from '../engine/runs/start/frozen.ts'
import { runWork } from '../engine/runs/work.ts'
import { adoptedTools, type ToolServers } from '../engine/tools/adopted-tools.ts'
import { unadoptedOffers } from '../engine/tools/unadopted-offers.ts'
import type { TurnParts } from '../engine/turns/performing.ts'
import { fairValidator } from '../engine/work/fair-validator.ts'
import { type HostedSessions, liveDeltas } from '../host/hosted-sessions.ts'
import type { HostWaits } from '../host/operation/provider-waits.ts'
import type { Binding, ChatModel, Secrets, Store } from '../ports.ts'
import { modelsOf } from './chat-models.ts'
import { hostConfigOf } from './host-config.ts'
import { modelsFor } from './pack-models.ts'
import { readPolicyFile } from './policy-file.ts'
import { keyringOf, secretsFile } from './record-folder.ts'
import { repoOf } from './repo-folder.ts'
import { watchOf } from './repo-watching.ts'
import type { Settings } from './settings.ts'

/** Threads that run schemas: one is always enough for a tenant. */
const VALIDATORS = 3

export interface OpenSessions extends HostedSessions {
  /** Aborts current work. The next host resumes it. */
  close(): Promise<void>
}

/** `tools`: what the host can do besides what every host can. */
export function openSessions(
  store: Store,
  settings: Settings,
  placed: PlacedPolicy,
  failed: TurnParts['failed'],
  tools: readonly Binding[],
  { waits, models = modelsOf(settings) }: { readonly waits?: HostWaits; readonly models?: ChatModel } = {},
): OpenSessions {
  const { policy } = placed
  const mayRead = readableBy(policy)
  const { bindings, servers, ...foreign } = openTools(store, settings, policy, tools)
  const isOutdated = policyWatch(settings, placed.policy)
  const world: RunWorld = {
    ...worldOf(settings),
    warnings: async tenant => [
      ...(await unadoptedOffers(policy.offer, { bindings, servers, ...foreign }, tenant)),
      ...(await isOutdated()),
    ],
  }
  const stopped = stoppedSchemas()
  const validator = fairValidator(() => workerValidator({ stopped }), VALIDATORS)
  const live = liveDeltas()
  const keyring = keyringOf(settings)
  const runs = runWork({
    store,
    owner: `host-${randomUUID()}`,
    world,
    mostOpenRuns: hostConfigOf(settings).limits.runsPerTenant,
    now: Date.now,
    newId: randomUUID,
    models,
    secrets: tenant => secretsOf(settings, tenant),
    seal: bytes => keyring.seal(bytes),
    validator,
    packModel: (files, path) => modelsFor(files, undefined, false).modelFor(path),
    bindings,
    grants: policy.grants,
    secretGrants: policy.secrets,
    rules: gateRules(policy),
    hostCatalog: offered(policy, bindings),
    servers,
    ...foreign,
    policy: mayRead,
    wait,
    failed,
    onDelta: live.say,
    ...(waits === undefined ? {} : { waits }),
    scrub: scrubKnown({ environment: process.env, file: secretsFile(settings) }),
    ...watchOf(settings, failed),
  })
  const forks = forkWork({ store, validator, runs, hostDefaults: world.hostDefaults, failed })
  return {
    work: runs.sessions,
    runs,
    forks,
    bindings,
    servers,
    ...foreign,
    grants: policy.grants,
    policy: placed,
    live,
    ...(waits === undefined ? {} : { waits }),
    validator,
    async close() {
      await forks.close()
      await runs.close()
      await validator.close()
      await Promise.all([...servers.values()].map(server => server.close()))
    },
  }
}

const readableBy =
  (policy: HostPolicy): TurnParts['policy'] =>
  (tenant, session) =>
    sessionPolicy(policy, tenant, session)

/** All bindings: those of every host, of this one, and of the servers in its settings. */
export function openTools(store: Store, settings: Settings, policy: HostPolicy, tools: readonly Binding[]) {
  const servers = toolServers(settings, secretsOf(settings, 'default'))
  return {
    bindings: boundTools([workspaceRead(store, readableBy(policy)), introspectSession(store), ...tools]),
    servers,
    adopted: adoptedTools(store, servers),
    offers: (tool: string) => isListed(policy.offer, tool),
  }
}

/** The part of this host that a run freezes when it starts. */
function worldOf(settings: Settings): RunWorld {
  const { supported, hostDefaults, agentBindings, model: usual } = hostConfigOf(settings)
  // A path reveals this machine's layout: prompts contain it only if the settings ask for that.
  const repository = typeof settings.repo === 'string' ? () => repoDetails(repoOf(settings)) : null
  const roles = repoRoles(repoOf(settings))
  return { hostDefaults, agentBindings, opaqueRefs: !supported, roles, model: modelOf(settings) ?? usual, repository }
}

function modelOf({ provider, model }: Settings): RunWorld['model'] {
  return typeof provider === 'string' && typeof model === 'string' ? { provider, model } : null
}

const boundTools = (bindings: readonly Binding[]): ReadonlyMap<string, Binding> => new Map(bindings.map(one => [one.descriptor.name, one]))

/** Graph tools have no binding: the engine of runs executes them. */
function offered({ offer }: HostPolicy, bindings: ReadonlyMap<string, Binding>): TurnParts['hostCatalog'] {
  const all = [...[...bindings.values()].map(({ descriptor }) => descriptor), ...Object.values(GRAPH_DESCRIPTORS)]
  const tools = all.filter(({ name }) => isListed(offer, name))
  return tools.length === 0 ? null : tools
}

/** Environment variables belong to the user who started this process: the default tenant. */
function secretsOf(settings: Settings, tenant: string): Secrets {
  const file = secretsFile(settings)
  const own = tenantSecrets(file, tenant)
  const { get } = tenant === 'default' ? secretsFrom(own, environmentSecrets(process.env)) : own
  return { get, known: () => knownTo({ environment: process.env, file }, tenant) }
}

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })

/** Detects that the policy file differs from the policy of this process. Reads the file again only after it was written. */
function policyWatch(settings: Settings, active: HostPolicy): () => Promise<readonly RunWarning[]> {
  const path = typeof settings.policy === 'string' ? settings.policy : POLICY_FILE
  let checked = { written: writtenAt(path), isOutdated: false }
  return async () => {
    const written = writtenAt(path)
    if (written !== checked.written) checked = { written, isOutdated: !(await isSame(settings, active)) }
    if (!checked.isOutdated) return []
    const message = `${path} was changed after this host started, and the host still uses the old policy. Restart the host to use the new one.`
    return [{ code: 'policy_outdated', message }]
  }
}

/** Null where there is no file. */
const writtenAt = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null

/** A file that cannot be read or is invalid is not what the host uses. */
const isSame = (settings: Settings, active: HostPolicy): Promise<boolean> =>
  readPolicyFile(settings).then(
    ({ policy }) => canonicalJson(policy as unknown as Json) === canonicalJson(active as unknown as Json),
    () => false,
  )

/** @param secrets of the operator. Secrets of other tenants are never sent to a server. */
const toolServers = (settings: Settings, secrets: Secrets): ToolServers =>
  new Map(
    Object.entries(hostConfigOf(settings).mcpServers).map(([name, settings]) => [
      name,
      mcpToolServer(name, settings as McpServerSettings, secrets),
    ]),
  )
