// Folder: The settings file of the host.
// Reads onbook.host.yaml, the host's configuration. A file with problems is refused as a whole.
import { Type } from 'typebox'
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { readPromptRef } from '../../core/resolve/prompt-ref.ts'
import { DEFAULT_CONFIG, type HostConfig } from '../config.ts'
import { DEFAULT_LIMITS, type HostLimits } from '../limits/limits.ts'
import { cliAgentsFormat, complaintsAboutAgents } from './cli-agents.ts'
import { hostToolsFormat } from './host-tools.ts'
import { complaintsAboutServers, mcpServersFormat } from './mcp-servers.ts'
import { modelCallsFormat } from './model-calls.ts'
import { type Complaint, readSettings } from './settings-file.ts'

const ref = Type.Optional(
  Type.Union([Type.String({ maxLength: 400 }), Type.Object({}, { additionalProperties: true, maxProperties: 10 })], {
    description: 'prompt:<templateId>[@<version>], or an object with templateId, libraryId, version, variableOverrides.',
  }),
)

const MOST_MS = 2_147_483_647
const number = (minimum: 0 | 1, description: string) => Type.Optional(Type.Integer({ minimum, description }))
const time = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_MS, description: `${description} In milliseconds.` }))

const limits = {
  bodyBytes: number(1, 'Of a request body, where its route says nothing else.'),
  headerBytes: number(1, 'Of all headers of a request together.'),
  connections: number(1, 'Open at a time.'),
  headersMs: time('For all headers to arrive.'),
  requestMs: time('For the whole request to arrive.'),
  keepAliveMs: time('For the next request on a connection that is open.'),
  unreadMs: time('For a peer to read something of an answer that waits for it. Its connection is closed after that.'),
  requestsPerMinute: number(0, 'Of one key; 0 for no limit. --requests-per-minute comes before it.'),
  failuresPerMinute: number(0, 'Failed authentications from one address; 0 for no limit.'),
  streams: number(1, 'Event streams open at a time.'),
  streamsPerTenant: number(1, 'Event streams of one tenant open at a time.'),
  runsPerTenant: number(1, 'Open runs of one tenant, those included that wait for a person.'),
  questionsPerTenant: number(1, 'Long questions of one tenant that may wait: diff, why, replay, blame, prefix, regression, export.'),
  streamKeepAliveMs: time('How often a stream without news says that it lives.'),
  auditEveryMs: time('How often what was refused is written to the record.'),
} satisfies Record<keyof HostLimits, Type.TSchema>

/** onbook.host.yaml. Every key is optional; `DEFAULT_CONFIG` has the defaults. */
export const hostFormat = Type.Object(
  {
    supported: Type.Optional(
      Type.Boolean({
        description:
          "Runs resolve and compose prompts, and say so in events. Off: refs are opaque; inline prompts, roles and agents' own texts are sent, and a node with nothing but refs fails (prompts_unsupported).",
      }),
    ),
    endpointsSupported: Type.Optional(Type.Boolean({ description: 'The library is there over HTTP. Off: every /v1/prompts answers 501.' })),
    mutableLibrary: Type.Optional(Type.Boolean({ description: 'Templates may be created, given further versions and removed over HTTP.' })),
    agentBindings: Type.Optional(
      Type.Boolean({ description: 'Agents speak in the resolution chain. Off is a state of migration: the agent layers are skipped.' }),
    ),
    observability: Type.Optional(Type.Enum(['off', 'hashed', 'full'], { description: 'How much of a composed prompt is shown.' })),
    libraryId: Type.Optional(
      Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,127}$', description: 'The name of the library that this host writes to.' }),
    ),
    maxTemplateBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_536 })),
    maxRenderRequestBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 16 * 1024 * 1024 })),
    hostDefaults: Type.Optional(
      Type.Object(
        { system: ref, user: ref, 'few-shot': ref, 'schema-hint': ref },
        {
          additionalProperties: false,
          description:
            "The last layer of the resolution chain: templates of the host's own library (onbook publish --tenant onbook). The host does not start when one is missing. Changing one is an event.",
        },
      ),
    ),
    model: Type.Optional(
      Type.Object(
        { provider: Type.String({ minLength: 1, maxLength: 200 }), model: Type.String({ minLength: 1, maxLength: 200 }) },
        { additionalProperties: false, description: 'For nodes of runs that name no model of their own.' },
      ),
    ),
    limits: Type.Optional(Type.Object(limits, { additionalProperties: false, description: 'What one caller may take of the host.' })),
    cliAgents: Type.Optional(cliAgentsFormat),
    modelCalls: Type.Optional(modelCallsFormat),
    tools: Type.Optional(hostToolsFormat),
    mcpServers: Type.Optional(mcpServersFormat),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://onbook.dev/schemas/host.json',
    title: 'Onbook host',
    description: 'What the host advertises and how it behaves. Every key is optional.',
    additionalProperties: false,
  },
)

export interface ReadHostFile {
  readonly config: HostConfig
  /** Sentences with line and column. A file with problems is not used at all. */
  readonly problems: readonly string[]
}

export function readHostFile(text: string): ReadHostFile {
  const { settings, problems } = readSettings(text, hostFormat, value => [
    ...complaintsAboutDefaults(value),
    ...complaintsAboutAgents(value),
    ...complaintsAboutServers(value),
  ])
  const limits = { ...DEFAULT_LIMITS, ...(settings.limits as Partial<HostLimits> | undefined) }
  return { config: { ...DEFAULT_CONFIG, ...settings, limits }, problems }
}

function complaintsAboutDefaults(value: Json): readonly Complaint[] {
  const defaults = isObject(value) && isObject(value.hostDefaults) ? value.hostDefaults : {}
  return Object.entries(defaults).flatMap(([kind, ref]): Complaint[] => {
    const read = readPromptRef(ref)
    return read.ok ? [] : [{ pointer: ['hostDefaults', kind], message: `the default for ${kind} is not a ref: ${read.problem}` }]
  })
}
