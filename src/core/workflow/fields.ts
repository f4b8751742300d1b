// JSON Schemas of the fields that workflows and agents share.
import { COMPOSE_STYLES } from '../compose/compose-style.ts'
import { NO_DIGEST } from '../digest/digest.ts'
import { closed, count, flag } from '../pack/form-fields.ts'
import { MOST_REF } from '../resolve/prompt-ref.ts'
import { ROLE_NAME } from '../role/role-name.ts'
import { NAME } from '../session/config-format.ts'

export { closed, count, flag }

export const MOST_TEXT = 65_536
/** The maximum number of keys of an object with free keys. */
export const MOST_KEYS = 1_000
/** Refs in a list of them. */
export const MOST_REFS = 100

/** The $schema of a document. */
export const formatName = { type: 'string', maxLength: 1_024, description: 'Names this format. Optional.' }

export const text = (description: string, maxLength = MOST_TEXT) => ({ type: 'string', maxLength, description })
/** Not a digest: the name appears in events, where a digest would reference an object. */
export const name = (description: string, maxLength = 256) => ({ type: 'string', minLength: 1, maxLength, pattern: NO_DIGEST, description })
export const choice = (description: string, ...names: readonly string[]) => ({ type: 'string', enum: names, description })

/** The parser of refs reports what is wrong with one. */
export const promptRef = (description: string) => ({ type: ['string', 'object'], maxLength: MOST_REF, maxProperties: 10, description })
export const kindRefs = (description: string) => ({
  ...closed({
    system: promptRef('prompt:<id> or prompt:<id>@<version>.'),
    user: promptRef('The same.'),
    'few-shot': promptRef('The same.'),
    'schema-hint': promptRef('The same.'),
  }),
  description,
})

export const settingFields = {
  edgeManagement: choice('Which edges it may make.', 'none', 'self', 'all'),
  writeCode: flag('It may edit code.'),
  writeDocs: flag('It may write docs.'),
  runCommands: flag('It may run commands.'),
  delegateOnly: flag('It changes nothing itself.'),
  gated: flag('A person approves every call.'),
}

export const composeField = choice(
  'verbatim: the prompt is the author’s text and the input, nothing else. graph: Onbook adds contract, mode and task. Default: verbatim for one node without role, mode, handoffs or graph tools, else graph.',
  ...COMPOSE_STYLES,
)

export const misfitField = choice(
  'What happens when the input does not fit the inputSchema of the pack it is sent to: the run is refused, or starts with a warning. Default fail.',
  'fail',
  'warn',
)

/** How an agent works; a node that uses it may override it. */
export const workFields = {
  role: { type: 'string', pattern: ROLE_NAME, description: 'docs/templates/<role>.md, or a role that is shipped.' },
  session: { type: 'string', pattern: NAME, description: 'A lasting session to work in. Without it, every run has one of its own.' },
  provider: name('Who serves the model.', 200),
  model: name('Which model.', 200),
  maxTokens: count('The most tokens of one reply.'),
  reasoningEffort: choice('Left to the model when nobody says.', 'low', 'medium', 'high'),
  temperature: { type: 'number', minimum: 0, maximum: 2, description: 'Sampling temperature. Left to the provider when it is not set.' },
  topP: { type: 'number', minimum: 0, maximum: 1, description: 'Nucleus sampling. Left to the provider when it is not set.' },
  seed: count('Seed of the sampling, for providers that take one.', 0, 4_294_967_295),
  providerOptions: {
    type: 'object',
    maxProperties: 50,
    description: 'Further options for this provider, in its own words. Passed on as they are; at most 16,384 bytes of JSON.',
  },
}
