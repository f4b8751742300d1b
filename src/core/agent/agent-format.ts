// The format of agents as a JSON Schema: OpenWOP's AgentManifest with fewer required fields, plus our own fields.
// schemas/agent.schema.json is printed from this; the reader checks against this.
import { PATTERNS } from '../resolve/prompt-ref.ts'
import {
  choice,
  closed,
  composeField,
  formatName,
  kindRefs,
  MOST_KEYS,
  MOST_TEXT,
  misfitField,
  name,
  settingFields,
  text,
  workFields,
} from '../workflow/fields.ts'

const unused = { description: 'Of OpenWOP. Not used.' }
const unusedObject = { type: 'object', maxProperties: MOST_KEYS, ...unused }
const tool = name('A tool.')

export const agentFormat = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://onbook.dev/schemas/agent.json',
  title: 'Agent',
  description:
    'Who works at a node: its prompts, its tools, how it works. Every AgentManifest of OpenWOP is one. Nothing here grants anything.',
  ...closed(
    {
      $schema: formatName,
      agentId: {
        type: 'string',
        minLength: 3,
        maxLength: 256,
        pattern: '^(core|vendor|community|private|local)\\.[a-z][a-z0-9_-]*(\\.[a-z][a-zA-Z0-9_-]*)+$',
        $comment: '<scope>.<group>.<name> with the scope core, vendor, community, private or local, as in local.newsroom.writer',
        description: 'What workflows call it, as in local.newsroom.writer.',
      },
      version: {
        type: 'string',
        maxLength: 128,
        pattern: PATTERNS.version,
        description: 'As in 1.2.0. Without one, its text gives it a version.',
      },
      persona: name('Its name. Default: its label, or its agentId.', 200),
      label: name('A short name for people.', 100),
      description: { ...text('What it is for.', 500) },
      modelClass: choice(
        'What kind of model it wants. Default general.',
        'reasoning',
        'writing',
        'coding',
        'research',
        'classification',
        'general',
      ),
      systemPrompt: { type: 'string', minLength: 1, maxLength: MOST_TEXT, description: 'Its own system prompt.' },
      systemPromptRef: {
        type: 'string',
        minLength: 1,
        maxLength: 1024,
        description: 'A file with that text, in the folder of this file or below. Not a PromptRef.',
      },
      promptOverrides: kindRefs('By kind: what it prefers. Its own system prompt goes before the one for system.'),
      promptLibraryRef: {
        type: 'string',
        pattern: PATTERNS.templateId,
        description: 'A library with defaults for every kind that it says nothing about.',
      },
      toolAllowlist: {
        type: 'array',
        maxItems: 1000,
        items: tool,
        description: 'It is shown no other tools than these. Default: whatever there is.',
      },
      compose: composeField,
      onMisfit: misfitField,
      ...workFields,
      settings: { ...closed(settingFields), description: 'What it may do. Its role must ask for it, and the host grant it.' },
      requiresCapabilities: { type: 'array', maxItems: MOST_KEYS, items: { type: 'string', maxLength: 1_024 }, ...unused },
      memoryShape: unusedObject,
      confidence: unusedObject,
      handoff: unusedObject,
      evalSuiteRef: { type: 'string', maxLength: 1_024, ...unused },
    },
    ['agentId'],
  ),
}
