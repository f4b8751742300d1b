// The format of agent.workspace.json as a JSON Schema. schemas/agent-workspace.schema.json is printed from this; the
// reader uses it as well, and a test compares both.
import { MOST_PATH, WORKSPACE_NAME } from './path.ts'

const PATH = '^(?!(?:[^/]+/)*\\.{1,2}(?:/|$))[A-Za-z0-9._~-]+(?:/[A-Za-z0-9._~-]+)*$'

const path = { type: 'string', maxLength: MOST_PATH, pattern: PATH }
/** Names in one map of the index, and paths in one group. */
const MOST_NAMES = 1_000
const MOST_PATHS = 10_000
const byName = (values: object, description: string) => ({
  type: 'object',
  propertyNames: { pattern: WORKSPACE_NAME },
  maxProperties: MOST_NAMES,
  additionalProperties: values,
  description,
})
const choice = (description: string) => ({ type: ['string', 'null'], pattern: WORKSPACE_NAME, description })

export const workspaceIndexFormat = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://onbook.dev/schemas/agent-workspace.json',
  title: 'Agent workspace',
  description: 'agent.workspace.json: what a workspace offers. Optional: files are found by where they are.',
  type: 'object',
  required: ['schema_version'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string', maxLength: 1_024 },
    schema_version: { const: 1, description: 'The version of this format.' },
    prompt_packs: byName(path, 'Preludes: name → path. Without an entry: prompts/packs/<name>.json.'),
    tool_catalogs: byName(path, 'Catalogs: name → path. Without an entry: tools/catalogs/<name>.json.'),
    context_groups: byName(
      { type: 'array', maxItems: MOST_PATHS, items: path },
      'Files and folders of context that belong together. A prelude names the group in its context.',
    ),
    defaults: {
      type: 'object',
      additionalProperties: false,
      properties: {
        prompt_pack: choice('The prelude that the command line asks for when none is named.'),
        tool_catalog: choice('The catalog that the command line asks for when none is named.'),
      },
    },
  },
}
