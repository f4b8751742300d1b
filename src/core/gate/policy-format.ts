// The format of onbook.policy.yaml as a JSON Schema. schemas/policy.schema.json is printed from this; the reader checks against this.
import { NO_DIGEST } from '../digest/digest.ts'
import type { Form } from '../pack/form.ts'
import { closed, count, flag } from '../pack/form-fields.ts'
import { READING } from '../workspace/policy.ts'

const MOST = 1_000
/** Ten years. A longer wait is a mistake. */
const MOST_MS = 315_360_000_000

/** Not a digest, so that a record cannot be confused with one. A star is the last character. */
const NAME: Form = { type: 'string', maxLength: 128, pattern: '^(?=.{1,128}$)[A-Za-z0-9._~/-]*\\*?$' }
const list = (items: Form, description: string, maxItems = MOST): Form => ({ type: 'array', items, maxItems, description })
const names = (description: string): Form => list(NAME, description)
const tenants = names('Which tenants (default: all). A name may end in *.')
const expireAfterMs = count('How long a person has to answer, in milliseconds. Nobody in time is a no.', 1, MOST_MS)
const COMMAND: Form = { type: 'string', minLength: 1, maxLength: 1_024, pattern: NO_DIGEST }

const argumentRules: Form = {
  type: 'object',
  description:
    'What the call must say, by argument; a dot leads into an object. All of them fit, or the grant is as if it were not there. In a text, * stands for anything within a name and ** for any number of names; the words of cmd are matched one by one, and a * behind them stands for any that are no options.',
  maxProperties: 100,
  propertyNames: { type: 'string', pattern: '^[^\\s.]{1,64}(?:\\.[^\\s.]{1,64}){0,7}$' },
  additionalProperties: {
    type: 'array',
    description: 'Any of these.',
    minItems: 1,
    maxItems: 100,
    items: { type: ['string', 'number', 'boolean'], maxLength: 256, pattern: NO_DIGEST },
  },
}

const approval: Form = {
  type: ['boolean', 'object'],
  description: 'Granted once a person has approved the call.',
  additionalProperties: false,
  properties: {
    by: {
      ...list(
        { type: 'string', minLength: 1, maxLength: 128, pattern: NO_DIGEST },
        'Who may: actors as events name them, key:<id> or cli:<user>. A name may end in *. Default: whoever may answer at all.',
      ),
      minItems: 1,
    },
    expireAfterMs,
  },
}

const grant = closed(
  {
    tools: { ...names('Tools by name; a name may end in *.'), minItems: 1 },
    tenants,
    agents: names('Agents, or home sessions, by name (default: all). A name may end in *.'),
    roles: names('Roles by name (default: all, and those without one).'),
    modes: {
      ...list(
        { type: 'string', enum: ['planning', 'implementation'] },
        'Modes of a run (default: all, and where there is none). A tool that is not built in, and is not adopted as one that only reads, is used in planning only by a grant that names planning here.',
        2,
      ),
      minItems: 1,
    },
    arguments: argumentRules,
    approval,
    deny: flag('It refuses what it names, whatever comes after it.'),
  },
  ['tools'],
)

const readable = closed(
  {
    tenants,
    sessions: names('Which sessions (default: all). A name may end in *.'),
    workspaces: names('Workspaces by name; * for all of the tenant.'),
    operations: list({ type: 'string', enum: READING }, 'Default: all that read.'),
    paths: list({ type: 'string', pattern: '^[A-Za-z0-9._~/-]{1,4096}$' }, 'Each with everything below it (default: all).'),
  },
  ['workspaces'],
)

const usable = closed(
  {
    secrets: {
      ...list(
        { type: 'string', maxLength: 128, pattern: '^(?=.{1,128}$)[A-Za-z0-9._-]*\\*?$' },
        'Secrets by their ids; an id may end in *.',
      ),
      minItems: 1,
    },
    workspaces: { ...names('Workspaces whose preludes may ask for them. A name may end in *.'), minItems: 1 },
    agents: names('Agents, or home sessions, by name (default: all). A name may end in *.'),
    tenants,
  },
  ['secrets', 'workspaces'],
)

export const policyFormat = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://onbook.dev/schemas/policy.json',
  title: 'Onbook policy',
  description: 'What sessions on this host are allowed. Every key is optional; no content can supply any of it.',
  ...closed({
    grants: list(grant, 'Who is granted which tool. What no grant names is not granted; the first that fits decides.'),
    workspaces: list(readable, 'What sessions may read. Without this, each the workspaces of its tenant.'),
    secrets: list(usable, 'Which secrets preludes of workspaces may put into prompts. A prelude that asks for another fails its sync.'),
    offer: names('Tools of the host itself that a model is shown when nothing else names any (default: none).'),
    approvals: { ...closed({ expireAfterMs }), description: 'Where a grant does not say it itself (default: one day).' },
    planningCommands: list(
      COMMAND,
      'What command may run while its run plans: lines such as "git status"; a * at the end stands for any words that are no options.',
    ),
    orchestrator: {
      ...closed({ asks: flag('Whether an orchestrator, too, needs a person to change the graph (default: true).') }),
      description: 'Who leads a graph.',
    },
  }),
}
