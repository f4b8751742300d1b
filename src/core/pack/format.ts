// The pack format as a JSON Schema. schemas/prompt-pack.schema.json is printed from this; the reader checks against this.

/** semver.org's own expression, anchored, with numbers that still can be counted up exactly. */
export const SEMVER =
  '^(?:0|[1-9]\\d{0,14})\\.(?:0|[1-9]\\d{0,14})\\.(?:0|[1-9]\\d{0,14})(?:-(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$'
export const AGENT_ID = '^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$'
export const PACK_SCHEMA_URI = 'https://architect-studio/schemas/prompt-pack.json'

/** The size of the file limits a pack first. */
const MOST_ITEMS = 100_000
const MOST_KEYS = 100_000
const MOST_TEXT = 65_536
const MOST_NAME = 1_024

export const packFormat = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: PACK_SCHEMA_URI,
  title: 'Prompt pack',
  description: 'A versioned prompt for one agent: text with variables, schemas of input and output, examples, constraints, refusals.',
  type: 'object',
  maxProperties: MOST_KEYS,
  required: ['id', 'agentId', 'version', 'systemPrompt', 'inputSchema', 'outputSchema'],
  properties: {
    $schema: { type: 'string', maxLength: MOST_NAME, description: 'Names this format. Optional.' },
    id: {
      type: 'string',
      maxLength: 200,
      pattern: '^prompt-[a-z][a-z0-9]*(?:-[a-z0-9]+)*-v\\d[0-9A-Za-z.+-]*$',
      description: 'prompt-<agentId>-v<version>: the whole version, or its major number.',
    },
    agentId: {
      type: 'string',
      maxLength: 128,
      pattern: AGENT_ID,
      description: 'Lower-case words joined by hyphens. Also the name of the folder.',
    },
    version: {
      type: 'string',
      pattern: SEMVER,
      maxLength: 100,
      description: 'Semantic version, quoted. Also the name of the file: v<version>.yaml.',
    },
    meta: {
      type: 'object',
      maxProperties: MOST_KEYS,
      description: 'For people.',
      properties: {
        name: { type: 'string', maxLength: MOST_NAME, description: 'Human-readable name of the agent.' },
        description: { type: 'string', maxLength: MOST_TEXT, description: 'What the agent is for, in a sentence.' },
        author: { type: 'string', maxLength: MOST_NAME, description: 'Who writes this pack.' },
        lastUpdated: {
          type: 'string',
          maxLength: 64,
          pattern:
            '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d+)?)?(?:Z|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)$',
          description: 'ISO 8601 date and time, quoted. Not part of the meaning: the semantic digest leaves it out.',
        },
      },
    },
    systemPrompt: {
      type: 'string',
      minLength: 50,
      maxLength: 16 * MOST_TEXT,
      description:
        'The prompt. {{variable}}, {{#each list}}…{{/each}}, {{#if condition}}…{{/if}}. Sections: OBJECTIVE, INPUT, OUTPUT, CONSTRAINTS, REFUSAL RULES.',
    },
    variables: {
      type: 'array',
      maxItems: MOST_ITEMS,
      description: 'Every variable that systemPrompt uses.',
      items: {
        type: 'object',
        maxProperties: MOST_KEYS,
        required: ['name', 'type'],
        properties: {
          name: { type: 'string', maxLength: 128, pattern: '^[a-zA-Z][a-zA-Z0-9_]*$', description: 'As written between the braces.' },
          type: {
            enum: ['string', 'number', 'boolean', 'array', 'object'],
            description: 'Values are checked against this and never converted.',
          },
          required: { type: 'boolean', default: false, description: 'Whether rendering without a value is an error.' },
          default: { description: 'Used when no value is given. Must be of the declared type.' },
          description: { type: 'string', maxLength: MOST_TEXT, description: 'What this variable controls.' },
          volatile: {
            type: 'boolean',
            description: 'Whether the value changes on every call (a time, an id). Guessed from the name when left out.',
          },
        },
      },
    },
    inputSchema: {
      type: 'string',
      maxLength: MOST_NAME,
      pattern: '^[A-Za-z][A-Za-z0-9+.-]*:\\S+$',
      description: '$id of a JSON Schema under schemas/: what the agent is given.',
    },
    outputSchema: {
      type: 'string',
      maxLength: MOST_NAME,
      pattern: '^[A-Za-z][A-Za-z0-9+.-]*:\\S+$',
      description: '$id of a JSON Schema under schemas/: what the agent must answer.',
    },
    examples: {
      type: 'array',
      maxItems: MOST_ITEMS,
      description: 'Sample inputs with the expected output: test cases, and few-shot material.',
      items: {
        type: 'object',
        maxProperties: MOST_KEYS,
        required: ['name', 'input'],
        properties: {
          name: { type: 'string', minLength: 1, maxLength: MOST_NAME, description: 'Unique in this pack.' },
          input: { description: 'JSON that matches inputSchema.' },
          expectedOutput: { description: 'JSON that matches outputSchema. Without it only the schema is checked.' },
          variables: { type: 'object', maxProperties: MOST_KEYS, description: 'Values of variables for this example.' },
          ignore: {
            type: 'array',
            maxItems: MOST_ITEMS,
            items: { type: 'string', maxLength: MOST_NAME, pattern: '^(?:/(?:[^~/]|~[01])*)+$' },
            description: 'JSON pointers into the output that may differ, such as /meta/createdAt.',
          },
        },
      },
    },
    constraints: {
      type: 'array',
      maxItems: MOST_ITEMS,
      items: { type: 'string', maxLength: MOST_TEXT },
      description: 'Hard rules. Not injected: write them with {{#each constraints}}.',
    },
    refusalRules: {
      type: 'array',
      maxItems: MOST_ITEMS,
      items: { type: 'string', maxLength: MOST_TEXT },
      description: 'When to refuse or ask. Not injected: write them with {{#each refusalRules}}.',
    },
  },
} as const
