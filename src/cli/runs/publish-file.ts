// Publishes a workflow file, with the agents and packs of its folder, before it is run. Skips everything that is already published.
import { statSync } from 'node:fs'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import { workerValidator } from '../../adapters/validator/worker-validator.ts'
import { hostConfigOf } from '../../book/host-config.ts'
import { openProductStore } from '../../book/product-store.ts'
import { actorOf, readText, tenantOf } from '../../book/record-folder.ts'
import { isAgentFile, isWorkflowFile } from '../../core/lint/layout.ts'
import { readDocument } from '../../core/workflow/read-document.ts'
import { definitionsIn } from '../../engine/definitions/folder.ts'
import { checkWritable, type PreparedDefinition, publishDefinitions } from '../../engine/definitions/publish.ts'
import { prepareWorkflow } from '../../engine/definitions/workflows.ts'
import { type PackSchemas, publishSchemas } from '../../engine/library/pack-schemas.ts'
import type { CompiledPacks } from '../../engine/library/publish.ts'
import { compilePacks, publishFresh, schemasOfPacks } from '../../engine/packs/publish-packs.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { findRoot, locate } from '../locate.ts'

/** A workflow id contains no dot or slash. */
export const isFileName = (workflow: string): boolean => /[./\\]/.test(workflow)

export interface PublishedFile {
  readonly workflowId: string
  readonly published: readonly string[]
  readonly unchanged: number
}

export interface PreparedFile {
  readonly compiled: CompiledPacks
  readonly schemas: readonly PackSchemas[]
  readonly definitions: readonly PreparedDefinition[]
}

/** Reads and checks the documents to publish. Writes nothing. */
export async function preparedFile(path: string): Promise<PreparedFile> {
  const full = resolve(path)
  if (statSync(full, { throwIfNoEntry: false })?.isFile() !== true) throw new Fault('path_missing', { path })
  const found = findRoot(full)
  const root = basename(found) === 'workflows' ? dirname(found) : found
  return prepare(root, relative(root, full).split(sep).join('/'), path)
}

export async function publishFile(path: string, input: Input): Promise<PublishedFile> {
  // All files are read and checked before the record is created.
  const { compiled, schemas, definitions } = await preparedFile(path)
  const store = openProductStore(input)
  try {
    const writer = { tenant: tenantOf(input), libraryId: hostConfigOf(input).libraryId, actor: actorOf() }
    await checkWritable(store, writer.tenant, definitions)
    const packs = await publishFresh(store, writer, compiled)
    await publishSchemas(store, writer, schemas)
    const { results } = await publishDefinitions(store, writer, definitions)
    const fresh = results
      .filter(({ outcome }) => outcome !== 'unchanged')
      .map(({ kind, id, revision }) => `${kind} ${id}, revision ${revision}`)
    return {
      workflowId: definitions.find(({ kind }) => kind === 'workflow')!.id,
      published: [...packs.published, ...fresh],
      unchanged: packs.unchanged.length + results.length - fresh.length,
    }
  } finally {
    await store.close()
  }
}

async function prepare(root: string, file: string, shown: string): Promise<PreparedFile> {
  const { workspace, packs } = (await locate([root])).targets[0]!
  const inPlace = isWorkflowFile(file)
  const validator = workerValidator()
  try {
    // In a folder that is not a workspace, every YAML file would count as a pack.
    const meant = inPlace ? packs : packs.filter(path => path.startsWith('prompts/'))
    const compiled = await compilePacks(workspace, meant, validator)
    const schemas = await schemasOfPacks(workspace, meant)
    const beside = await definitionsIn(workspace, path => isAgentFile(path) || path === file)
    return { compiled, schemas, definitions: inPlace ? beside : [...beside, await loose(resolve(root, file), shown)] }
  } finally {
    await validator.close()
  }
}

/** Reads a workflow file outside a workspace. */
async function loose(path: string, shown: string): Promise<PreparedDefinition> {
  const document = readDocument(path, await readText(path))
  if (!document.ok) throw new Fault('checks_failed', { what: shown, errors: document.problems.length })
  return prepareWorkflow(document.value, shown)
}
