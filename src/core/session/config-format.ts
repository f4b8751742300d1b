// The config of sessions and runs as JSON Schemas. schemas/session-config.schema.json and schemas/run-config.schema.json are printed from
// this; the reader checks against this.

/** One segment of a path: the name of a workspace, prelude, catalog or descriptor. Never `.` or `..`. */
export const NAME = '^(?!\\.{1,2}$)[A-Za-z0-9._~-]{1,128}$'

const orNull = (type: string, more: object) => ({ type: [type, 'null'], ...more })
const digests = (description: string) =>
  orNull('array', { items: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' }, maxItems: 1000, description })
const count = (description: string) => orNull('integer', { minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

const properties = {
  provider: { type: 'string', maxLength: 200, description: 'Who serves the model. Needed before a run, not before.' },
  model: { type: 'string', maxLength: 200, description: 'Which model. Needed before a run, not before.' },
  reasoningEffort: { enum: ['low', 'medium', 'high', null], description: 'Left to the model when it is null.' },
  maxTokens: count('The most tokens of one reply.'),
  temperature: { type: 'number', minimum: 0, maximum: 2, description: 'Sampling temperature. Left to the provider when it is not set.' },
  topP: { type: 'number', minimum: 0, maximum: 1, description: 'Nucleus sampling. Left to the provider when it is not set.' },
  seed: { type: 'integer', minimum: 0, maximum: 4_294_967_295, description: 'Seed of the sampling, for providers that take one.' },
  providerOptions: {
    type: 'string',
    pattern: '^sha256:[0-9a-f]{64}$',
    description: 'Digest of a JSON object with further options, in the provider’s own words.',
  },
  workspace: orNull('object', {
    required: ['name'],
    additionalProperties: false,
    properties: { name: { type: 'string', pattern: NAME }, version: orNull('integer', { minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) },
    description: 'Which workspace, and which version; null follows the newest when a sync is asked for.',
  }),
  prelude: orNull('string', { pattern: NAME, description: 'The prelude prompts/packs/<name>.json of the workspace.' }),
  promptDigests: digests('Messages put before the history, by digest, instead of a prelude. An empty list means none at all.'),
  catalog: orNull('string', { pattern: NAME, description: 'The catalog tools/catalogs/<name>.json of the workspace.' }),
  toolDigests: digests('Tools by digest, instead of a catalog. An empty list means none at all.'),
  limits: {
    type: 'object',
    additionalProperties: false,
    properties: {
      maxSteps: count('Steps of one run; 0 or null: no limit.'),
      maxCalls: count('Tool calls of one step; 0 or null: 256.'),
    },
    description: 'What ends a run that does not end by itself.',
  },
}

const format = (name: string, title: string, description: string) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `https://onbook.dev/schemas/${name}.json`,
  title,
  description,
  type: 'object',
  additionalProperties: false,
  properties,
})

export const sessionConfigFormat = format('session-config', 'Session config', 'Defaults for the runs of a session. Every key is optional.')
export const runConfigFormat = format(
  'run-config',
  'Run config',
  'What one run is set to. It replaces the defaults of its session as a whole and is frozen when the run is requested.',
)
