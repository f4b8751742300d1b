// Publishes, reads, lists and removes workflows and agents of a host. The client does not cache them: an id may name another document tomorrow.
import type { AgentSummary, DefinitionDocument, PublishedAgent, PublishedWorkflow, WorkflowSummary } from '../../wire/onbook/definitions.ts'
import { eachItem } from '../each-page.ts'
import { answerWith } from '../shapes.ts'
import type { CallOptions, Question, Transport } from '../transport.ts'
import { type WriteOptions, writeHeaders } from '../write.ts'

export interface StoredDefinition {
  /** The document as it was published. */
  readonly document: DefinitionDocument
  /** The host's entity tag: for `ifMatch`. */
  readonly tag: string | null
}

export interface DefinitionWrite extends Omit<WriteOptions, 'workspaceId'> {
  /** Write only when the stored document has this entity tag. */
  readonly ifMatch?: string
  /** `*`: write only when no document has this id. */
  readonly ifNoneMatch?: string
}

export interface AgentWrite extends DefinitionWrite {
  /** The text of the file that the manifest's systemPromptRef names, by that path. */
  readonly files?: Readonly<Record<string, string>>
}

export interface Definitions<Summary, Published, Write extends DefinitionWrite = DefinitionWrite> {
  list(options?: CallOptions): AsyncIterable<Summary>
  get(id: string, options?: CallOptions): Promise<StoredDefinition>
  /** Creates the document, or replaces the one with the same id. Runs that started with the old document continue with it. */
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
