// What this host does, in one place: what it advertises and how it behaves are read from the same values.
import { VARIABLE_SOURCES } from '../core/library/template.ts'
import { PROMPT_KINDS } from '../core/pack/compile.ts'
import type { KindRefs } from '../core/resolve/layers.ts'
import { DEFAULT_LIMITS, type HostLimits } from './limits.ts'

export interface HostConfig {
  /** OpenWOP's gates, and what hangs on them. */
  readonly supported: boolean
  readonly endpointsSupported: boolean
  readonly mutableLibrary: boolean
  readonly agentBindings: boolean
  readonly observability: 'off' | 'hashed' | 'full'
  readonly libraryId: string
  readonly maxTemplateBytes: number
  readonly maxRenderRequestBytes: number
  readonly hostDefaults: KindRefs
  /** What one caller may take. Not advertised. */
  readonly limits: HostLimits
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
  limits: DEFAULT_LIMITS,
}

/** GET /.well-known/openwop. Older readers look for the families under `capabilities`. */
export function capabilityDocument(config: HostConfig): object {
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
      supported,
      endpointsSupported,
      templateKinds: PROMPT_KINDS,
      variableSources: VARIABLE_SOURCES,
      maxTemplateBytes,
      observability,
      packsSupported: endpointsSupported,
      mutableLibrary: endpointsSupported && mutableLibrary,
      library: { id: libraryId, renderEndpoint: '/v1/prompts:render', maxRenderRequestBytes },
      defaults: hostDefaults,
      agentBindings,
    },
    secrets: { supported: true, scopes: ['tenant'], resolution: 'host-managed' },
  }
  return {
    protocolVersion: '1.0',
    supportedEnvelopes: [],
    schemaVersions: {},
    limits: { clarificationRounds: 0, schemaRounds: 0, envelopesPerTurn: 0 },
    fixtures: [],
    ...families,
    capabilities: families,
  }
}
