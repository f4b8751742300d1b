// Workflows in the record: publishes, finds and lists them. Does not run them.
import type { Digest, Json } from '../../core/digest/digest.ts'
import { readWorkflow } from '../../core/workflow/read-workflow.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
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

const reader: DocumentReader<Workflow> = {
  kind: 'workflow',
  read(document) {
    const result = readWorkflow(document)
    return result.ok ? { ok: true, value: result.workflow } : result
  },
  about: ({ id, name, version }) => ({ id, name, version }),
}

export interface LoadedWorkflow {
  readonly workflow: Workflow
  readonly digest: Digest
  readonly revision: number
}

export const prepareWorkflow = (document: Json, what = 'The document'): PreparedDefinition => prepareDefinition(reader, document, what)

export const publishWorkflow = async (
  store: Store,
  writer: DefinitionWriter,
  document: Json,
  options?: PublishOptions,
): Promise<PublishedDefinition> => publishDefinition(store, writer, prepareWorkflow(document), options)

/** The current workflow with this id, or null. */
export async function loadWorkflow(store: Store, tenant: string, id: string): Promise<LoadedWorkflow | null> {
  const found = await loadDefinition(store, reader, tenant, id)
  if (found === null) return null
  const { value: workflow, ...rest } = found
  return { workflow, ...rest }
}

/** The workflow that a digest names, also when a newer one is published. */
export const workflowAt = (store: Store, tenant: string, digest: Digest): Promise<Workflow> => documentAt(store, reader, tenant, digest)

export const listWorkflows = (store: Store, tenant: string, after?: string): AsyncIterable<DefinitionRow> =>
  listDefinitions(store, 'workflow', tenant, after)
