// The host's configuration. The capabilities it advertises and its behaviour come from the same values.
import { VARIABLE_SOURCES } from '../core/library/template.ts'
import { PROMPT_KINDS } from '../core/pack/compile.ts'
import type { KindRefs } from '../core/resolve/layers.ts'
import { DEFAULT_LIMITS, type HostLimits } from './limits/limits.ts'
import type { CliAgents } from './settings/cli-agents.ts'
import type { HostTools } from './settings/host-tools.ts'
import type { McpServers } from './settings/mcp-servers.ts'
import type { ModelCalls } from './settings/model-calls.ts'

export interface HostConfig {
  /** OpenWOP's capability flags, and the settings that depend on them. */
  readonly supported: boolean
  readonly endpointsSupported: boolean
  readonly mutableLibrary: boolean
  readonly agentBindings: boolean
  readonly observability: 'off' | 'hashed' | 'full'
  readonly libraryId: string
  readonly maxTemplateBytes: number
  readonly maxRenderRequestBytes: number
  readonly hostDefaults: KindRefs
  /** The default model: for nodes without a model, where neither the agent nor its session has one. */
  readonly model: { readonly provider: string; readonly model: string } | null
  /** Limits of one caller. Not advertised. */
  readonly limits: HostLimits
  /** Commands of this machine that sessions may use as providers. Not advertised. */
  readonly cliAgents: CliAgents
  /** Limits of a provider's answer, in time and size. Not advertised. */
  readonly modelCalls: ModelCalls
  /** Tools that work on the repo. Not advertised. */
  readonly tools: HostTools
  /** MCP servers. Not advertised. */
  readonly mcpServers: McpServers
}

export const DEFAULT_CONFIG: HostConfig = {
  supported: true,
  endpointsSupported: true,
  mutableLibrary: true,
  agentBindings: true,
  observability: 'full',
  libraryId: 'onbook',
  maxTemplateBytes: 65_536,
  maxRenderRequestBytes: 1024 * 1024,
  hostDefaults: {},
  model: null,
  limits: DEFAULT_LIMITS,
  cliAgents: {},
  modelCalls: {},
  tools: { bind: [] },
  mcpServers: {},
}

/**
 * GET /.well-known/openwop. Older readers look for the families under `capabilities`.
 * @param runs whether the host advances runs: without that, no node resolves a prompt
 */
export function capabilityDocument(config: HostConfig, fixtures: readonly string[] = [], runs = true): object {
  const {
    supported,
    endpointsSupported,
    mutableLibrary,
    agentBindings,
    observability,
    libraryId,
    maxTemplateBytes,
    maxRenderRequestBytes,
    hostDefaults,
  } = config
  const families = {
    prompts: {
      supported: supported && runs,
      endpointsSupported,
      templateKinds: PROMPT_KINDS,
      variableSources: VARIABLE_SOURCES,
      maxTemplateBytes,
      observability,
      packsSupported: endpointsSupported,
      mutableLibrary: endpointsSupported && mutableLibrary,
      library: { id: libraryId, renderEndpoint: '/v1/prompts:render', maxRenderRequestBytes },
      defaults: supported ? hostDefaults : {},
      agentBindings: supported && agentBindings,
    },
    agents: { manifestRuntime: { supported: runs, handoffValidation: false, installScope: 'tenant' } },
    replay: { supported: runs, modes: ['replay', 'branch'] },
    secrets: { supported: true, scopes: ['tenant'], resolution: 'host-managed' },
  }
  return {
    protocolVersion: '1.0',
    supportedEnvelopes: [],
    schemaVersions: {},
    limits: { clarificationRounds: 0, schemaRounds: 0, envelopesPerTurn: 0 },
    fixtures,
    ...families,
    capabilities: families,
  }
}
