// Workflows and agents of a host: published, read, listed, taken away. Nothing of them is kept here: an id may stand for another tomorrow.
import type { AgentSummary, DefinitionDocument, PublishedAgent, PublishedWorkflow, WorkflowSummary } from '../../wire/onbook/definitions.ts'
import { eachItem } from '../each-page.ts'
import { answerWith } from '../shapes.ts'
import type { CallOptions, Question, Transport } from '../transport.ts'
import { type WriteOptions, writeHeaders } from '../write.ts'

export interface StoredDefinition {
  /** As it was published. */
  readonly document: DefinitionDocument
  /** The host's entity tag: for `ifMatch`. */
  readonly tag: string | null
}

export interface DefinitionWrite extends Omit<WriteOptions, 'workspaceId'> {
  /** Only when this is what is there. */
  readonly ifMatch?: string
  /** `*`: only when nothing is there. */
  readonly ifNoneMatch?: string
}

export interface AgentWrite extends DefinitionWrite {
  /** The text of the file that the manifest's systemPromptRef names, by that path. */
  readonly files?: Readonly<Record<string, string>>
}

export interface Definitions<Summary, Published, Write extends DefinitionWrite = DefinitionWrite> {
  list(options?: CallOptions): AsyncIterable<Summary>
  get(id: string, options?: CallOptions): Promise<StoredDefinition>
  /** Creates or replaces what has its id. What has begun with another document goes on with that. */
  put(document: DefinitionDocument, options?: Write): Promise<Published>
  remove(id: string, options?: DefinitionWrite): Promise<void>
}

export type Workflows = Definitions<WorkflowSummary, PublishedWorkflow>
export type Agents = Definitions<AgentSummary, PublishedAgent, AgentWrite>

export const createWorkflows = (transport: Transport): Workflows => definitionsOf(transport, '/v1/workflows', 'id')
export const createAgents = (transport: Transport): Agents => definitionsOf(transport, '/v1/agents', 'agentId', [['view', 'summaries']])

function definitionsOf<Summary, Published>(
  transport: Transport,
  path: string,
  idField: string,
  view: NonNullable<Question['query']> = [],
): Definitions<Summary, Published, AgentWrite> {
  const pathOf = (id: unknown): string => `${path}/${encodeURIComponent(String(id))}`
  const write = ({ ifMatch, ifNoneMatch, ...options }: DefinitionWrite) => {
    const { headers, call } = writeHeaders(options, transport)
    if (ifMatch !== undefined) headers['if-match'] = ifMatch
    if (ifNoneMatch !== undefined) headers['if-none-match'] = ifNoneMatch
    return { headers, ...call }
  }
  return {
    list: (options = {}) => eachItem<Summary>(transport, path, options, view),
    async get(id, options = {}) {
      const { body, tag } = await transport.ask({ method: 'GET', path: pathOf(id), ...options })
      return { document: answerWith(body, idField) as DefinitionDocument, tag }
    },
    async put(document, { files, ...options } = {}) {
      const sent = files === undefined ? document : { manifest: document, files }
      const { body } = await transport.ask({ method: 'PUT', path: pathOf(document[idField]), body: sent, ...write(options) })
      return answerWith(body, 'revision') as Published
    },
    async remove(id, options = {}) {
      await transport.ask({ method: 'DELETE', path: pathOf(id), ...write(options) })
    },
  }
}
