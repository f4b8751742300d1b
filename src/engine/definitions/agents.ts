// Agents in the record: publishes, finds and lists them. Their requests are granted, or not, elsewhere.
import type { Agent } from '../../core/agent/agent.ts'
import { readAgent } from '../../core/agent/read-agent.ts'
import type { Digest, Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import type { Store } from '../../ports.ts'
import { type DocumentReader, documentAt, loadDefinition, prepareDefinition } from './documents.ts'
import {
  type DefinitionWriter,
  type PreparedDefinition,
  type PublishedDefinition,
  type PublishOptions,
  publishDefinition,
} from './publish.ts'
import { type DefinitionRow, listDefinitions } from './rows.ts'

/** The text of a file that an agent's manifest names, or null. */
export type TextAt = (path: string) => string | null

/** A published manifest is self-contained: there are no files beside it. */
const NO_FILES: TextAt = () => null

const readerWith = (textAt: TextAt): DocumentReader<Agent> => ({
  kind: 'agent',
  read(document) {
    const result = readAgent(document, textAt)
    return result.ok ? { ok: true, value: result.agent } : result
  },
  about: ({ agentId, label, persona, version }) => ({ id: agentId, name: label ?? persona, version }),
})

const reader = readerWith(NO_FILES)

export interface LoadedAgent {
  readonly agent: Agent
  readonly digest: Digest
  readonly revision: number
}

export function prepareAgent(document: Json, what = 'The document', textAt: TextAt = NO_FILES): PreparedDefinition {
  // The written document must be valid; the stored one has the same meaning without the file.
  const written = prepareDefinition(readerWith(textAt), document, what)
  const inlined = withText(document, textAt)
  return inlined === document ? written : prepareDefinition(reader, inlined, what)
}

function withText(document: Json, textAt: TextAt): Json {
  if (!isObject(document) || typeof document.systemPromptRef !== 'string') return document
  const { systemPromptRef, ...rest } = document
  return { ...rest, systemPrompt: textAt(systemPromptRef) }
}

export const publishAgent = async (
  store: Store,
  writer: DefinitionWriter,
  document: Json,
  options?: PublishOptions,
): Promise<PublishedDefinition> => publishDefinition(store, writer, prepareAgent(document), options)

/** The current agent with this id, or null. */
export async function loadAgent(store: Store, tenant: string, agentId: string): Promise<LoadedAgent | null> {
  const found = await loadDefinition(store, reader, tenant, agentId)
  if (found === null) return null
  const { value: agent, ...rest } = found
  return { agent, ...rest }
}

/** The agent with this digest, whatever was published since. */
export const agentAt = (store: Store, tenant: string, digest: Digest): Promise<Agent> => documentAt(store, reader, tenant, digest)

export const listAgents = (store: Store, tenant: string, after?: string): AsyncIterable<DefinitionRow> =>
  listDefinitions(store, 'agent', tenant, after)
