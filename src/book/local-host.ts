// Composes a host in this process from settings: store, models, tools, policy, routes. It opens no socket; `onbook host serve` does.
import type { FastifyInstance } from 'fastify'
import { repoRoles } from '../adapters/repo/repo-roles.ts'
import type { JsonObject } from '../core/digest/is-object.ts'
import { DEFAULT_POLICY } from '../core/gate/host-policy.ts'
import { publishConformance } from '../engine/definitions/conformance.ts'
import { checkHostDefaults } from '../engine/library/check-host-defaults.ts'
import { HOST_POLICY, recordConfig } from '../engine/policy/record-config.ts'
import type { TurnParts } from '../engine/turns/performing.ts'
import { createHost, type HostParts } from '../host/app.ts'
import { DEFAULT_CONFIG, type HostConfig } from '../host/config.ts'
import { providerWaits } from '../host/operation/provider-waits.ts'
import { readinessOf } from '../host/operation/readiness.ts'
import type { ChatModel, Store } from '../ports.ts'
import { type FunctionTool, functionBinding, withFunctionTools } from './function-tools.ts'
import { type OpenSessions, openSessions } from './open-sessions.ts'
import { readPolicyFile } from './policy-file.ts'
import { checkerOf, clock, databaseOf } from './record-folder.ts'
import { repoBindings } from './repo-bindings.ts'
import { repoOf } from './repo-folder.ts'
import type { Settings } from './settings.ts'
import { verifyTenant } from './verify-file.ts'
import { versionChecker } from './version-checker.ts'

export interface LocalHost {
  readonly app: FastifyInstance
  readonly sessions: OpenSessions
  /** Ends the work of sessions, and leaves the store open. */
  close(): Promise<void>
}

export interface LocalHostParts extends Pick<HostParts, 'embedded' | 'hosts' | 'publicUrl' | 'login' | 'logs' | 'limits' | 'version'> {
  readonly config: HostConfig
  /** Recorded as the one who changed the settings, where they changed. */
  readonly actor: string
  readonly tools?: readonly FunctionTool[]
  /** In place of the models that the settings name. */
  readonly models?: ChatModel
}

export async function openLocalHost(store: Store, settings: Settings, parts: LocalHostParts): Promise<LocalHost> {
  const { config, actor, tools = [], models, ...others } = parts
  const bindings = [...repoBindings(settings), ...tools.map(functionBinding)]
  const testSeams = settings.testSeams === true
  const fixtures = testSeams ? await publishConformance(store, config.libraryId) : []
  if (config.supported) await checkHostDefaults(store, config.hostDefaults)
  await recordConfig(store, actor, config as unknown as JsonObject, DEFAULT_CONFIG as unknown as JsonObject)
  const { policy: written, lines } = await readPolicyFile(settings)
  const policy = withFunctionTools(written, tools)
  await recordConfig(store, actor, policy as unknown as JsonObject, DEFAULT_POLICY as unknown as JsonObject, HOST_POLICY)
  const failed: TurnParts['failed'] = (error, place) => app.log.error({ err: error, ...place }, 'a run or a session could not go on')
  const readiness = readinessOf()
  const waits = providerWaits(readiness, clock, ({ tenant, runId, nodeId }, waiting) =>
    app.log.warn(
      { tenant, runId, nodeId, ...waiting },
      'a run waits for its provider; start the host with what is missing and the run goes on',
    ),
  )
  const sessions = openSessions(store, settings, { policy, lines }, failed, bindings, {
    waits,
    ...(models === undefined ? {} : { models }),
  })
  const app = createHost({
    store,
    clock,
    config,
    readiness,
    sessions,
    roles: repoRoles(repoOf(settings)),
    checker: versionChecker(sessions.validator),
    verify: async (tenant, pause) => verifyTenant(databaseOf(settings), tenant, await checkerOf(settings), pause),
    testSeams,
    fixtures,
    ...others,
  })
  return {
    app,
    sessions,
    async close() {
      await app.close()
      await sessions.close()
    },
  }
}
