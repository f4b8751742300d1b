// The templates and workflows that OpenWOP's conformance suite expects a host to ship. Published as the host's own.
import { HOST_ACTOR } from '../../core/access/keys.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import type { Store } from '../../ports.ts'
import { publishTemplates } from '../library/publish.ts'
import { HOST_TENANT, versionsOf } from '../library/rows.ts'
import { publishDefinitions } from './publish.ts'
import { prepareWorkflow } from './workflows.ts'

const template = (name: string, rest: Omit<LibraryTemplate, 'templateId' | 'version'>): LibraryTemplate => ({
  templateId: `conformance.prompt.${name}`,
  version: '1.0.0',
  ...rest,
})

export const CONFORMANCE_TEMPLATES: readonly LibraryTemplate[] = [
  template('writer-system', { kind: 'system', text: 'You are a careful writer.' }),
  template('writer-user', {
    kind: 'user',
    text: 'Write about {{topic}}.',
    variables: [{ name: 'topic', type: 'string', required: false, defaultValue: 'tides' }],
  }),
  template('schema-hint', { kind: 'schema-hint', text: 'Answer with one JSON object.' }),
  template('few-shot', { kind: 'few-shot', text: 'Q: the sea\nA: {"words": 2}' }),
  template('few-shot-2', { kind: 'few-shot', text: 'Q: the deep sea\nA: {"words": 3}' }),
  template('secret-redaction', {
    kind: 'user',
    text: 'Call the service with {{apiKey}}.',
    variables: [{ name: 'apiKey', type: 'string', required: true, source: 'secret' }],
  }),
  template('trust-marker', {
    kind: 'user',
    text: 'Summarise this: {{userPayload}}',
    variables: [{ name: 'userPayload', type: 'string', required: true, source: 'input' }],
  }),
]

const promptRef = (name: string): string => `prompt:conformance.prompt.${name}`

/** With one node, whose answers are made up. */
const workflow = (id: string, name: string, nodeId: string, config: JsonObject): Json => ({
  id,
  name,
  version: '1.0.0',
  nodes: [
    {
      id: nodeId,
      typeId: 'local.sample.demo.mock-ai',
      name: nodeId,
      position: { x: 0, y: 0 },
      // Not at the root: OpenWOP has no such field there.
      config: { objective: 'Write one sentence.', ...config },
      inputs: {},
    },
  ],
  edges: [],
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
})

const CONFORMANCE_WORKFLOWS: readonly Json[] = [
  workflow('conformance-prompt-end-to-end', 'Prompt, end to end', 'writer', { systemPromptRef: promptRef('writer-system') }),
  workflow('conformance-prompt-all-four-kinds', 'Prompts of all four kinds', 'writer', {
    systemPromptRef: promptRef('writer-system'),
    userPromptRef: promptRef('writer-user'),
    schemaHintPromptRef: promptRef('schema-hint'),
    fewShotPromptRefs: [promptRef('few-shot'), promptRef('few-shot-2')],
  }),
]

/** The ids of the workflows: what a host names as its fixtures. */
export async function publishConformance(store: Store, libraryId: string): Promise<readonly string[]> {
  const writer = { tenant: HOST_TENANT, libraryId, actor: HOST_ACTOR }
  for (const one of CONFORMANCE_TEMPLATES) {
    const known = await versionsOf(store, HOST_TENANT, one.templateId)
    if (known.length === 0) await publishTemplates(store, writer, [one], { mode: 'create', origin: 'host' })
  }
  const workflows = CONFORMANCE_WORKFLOWS.map(document => prepareWorkflow(document))
  return (await publishDefinitions(store, writer, workflows)).results.map(({ id }) => id)
}
