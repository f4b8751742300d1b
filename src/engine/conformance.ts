// The templates that OpenWOP's conformance suite expects a host to ship. Published once, as the host's own.
import { HOST_ACTOR } from '../core/access/keys.ts'
import type { LibraryTemplate } from '../core/library/template.ts'
import type { Store } from '../ports.ts'
import { publishTemplates } from './library/publish.ts'
import { HOST_TENANT, versionsOf } from './library/rows.ts'

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

export async function publishConformance(store: Store, libraryId: string): Promise<void> {
  const writer = { tenant: HOST_TENANT, libraryId, actor: HOST_ACTOR }
  for (const one of CONFORMANCE_TEMPLATES) {
    const known = await versionsOf(store, HOST_TENANT, one.templateId)
    if (known.length === 0) await publishTemplates(store, writer, [one], { mode: 'create', origin: 'host' })
  }
}
