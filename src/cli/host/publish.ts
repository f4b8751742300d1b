// onbook publish: publishes packs to the library, agents and workflows to the record, and with --workspace the whole folder as the next version of
// that workspace.
import { statSync } from 'node:fs'
import { workerValidator } from '../../adapters/validator/worker-validator.ts'
import type { Book } from '../../book.ts'
import type { PublishedPacks } from '../../client/index.ts'
import type { DefinitionKind } from '../../core/definition/published.ts'
import { isWithin } from '../../core/workspace/path.ts'
import { definitionsIn } from '../../engine/definitions/folder.ts'
import type { PreparedDefinition } from '../../engine/definitions/publish.ts'
import type { PackSchemas } from '../../engine/library/pack-schemas.ts'
import type { CompiledPacks } from '../../engine/library/publish.ts'
import { compilePacks, joined, type PreparedPacks, schemasOfPacks } from '../../engine/packs/publish-packs.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { locate, type Target } from '../locate.ts'
import { activeLines } from '../report/active-lines.ts'
import { printJson } from '../terminal.ts'
import { checksSentence } from '../workspace/checks.ts'
import { versionNumber } from '../workspace/open-workspaces.ts'
import { type FolderRequest, publishHere, sentenceOf, summaryOf } from '../workspace/publish-folder.ts'
import { latestVersion, sendFolder } from '../workspace/send-folder.ts'
import { openRecordOf } from './record-book.ts'
import { isHostNamed, workAt } from './which-host.ts'

export async function publish(input: Input): Promise<number> {
  const paths = (input.paths as string[] | undefined) ?? []
  const folder = folderRequest(input, paths)
  const { targets, missing } = await locate(paths)
  if (missing.length > 0) throw new Fault('path_missing', { path: missing.join(', ') })
  // All packs are read and checked before the record is created.
  const { compiled, schemas, definitions } = await prepare(targets)
  if (folder === null && compiled.templates.length + definitions.length === 0)
    throw new Fault('packs_missing', { where: targets.map(({ root }) => root).join(', ') })
  return workAt(await openRecordOf(input), input, async book => {
    // A version that would be refused must not leave packs behind.
    if (folder !== null) await checkExpected(book, folder)
    const packs = await book.packs.publish({
      templates: compiled.templates,
      schemas,
      active: [...compiled.active].map(([templateId, wanted]) => ({ templateId, ...wanted })),
      agents: documentsOf(definitions, 'agent'),
      workflows: documentsOf(definitions, 'workflow'),
    })
    const committed = folder === null ? null : await (isHostNamed(input) ? sendFolder(book, folder) : publishHere(input, folder))
    const checks = committed === null ? null : (await book.workspaces.check(committed.workspace, { version: committed.version })).checks
    if (input.json) printJson({ ...packs, ...(committed === null ? {} : { workspace: { ...summaryOf(committed), checks } }) })
    else {
      printPublished(packs, folder === null)
      if (committed !== null) process.stdout.write(`${sentenceOf(committed)}\n`)
      if (checks !== null) process.stdout.write(`${checksSentence(checks)}\n`)
    }
    return 0
  })
}

/** The documents in their prepared form. A host parses them again and refuses malformed ones. */
const documentsOf = (definitions: readonly PreparedDefinition[], wanted: DefinitionKind): readonly Readonly<Record<string, unknown>>[] =>
  definitions.filter(({ kind }) => kind === wanted).map(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)))

async function prepare(targets: readonly Target[]): Promise<PreparedPacks> {
  const compiled: CompiledPacks[] = []
  const schemas: PackSchemas[] = []
  const definitions: PreparedDefinition[] = []
  const validator = workerValidator()
  try {
    for (const { workspace, packs, within } of targets) {
      compiled.push(await compilePacks(workspace, packs, validator))
      schemas.push(...(await schemasOfPacks(workspace, packs)))
      definitions.push(...(await definitionsIn(workspace, path => within.some(one => isWithin(path, one)))))
    }
  } finally {
    await validator.close()
  }
  return { compiled: joined(compiled), schemas, definitions }
}

function printPublished({ published, unchanged, active, agents, workflows }: PublishedPacks, always: boolean): void {
  for (const ref of published) process.stdout.write(`${ref}\n`)
  const definitions = [
    ...agents.map(one => ({ ...one, name: `agent ${one.agentId}` })),
    ...workflows.map(one => ({ ...one, name: `workflow ${one.workflowId}` })),
  ]
  for (const { name, outcome, revision } of definitions) process.stdout.write(`${name}: ${outcome}, revision ${revision}\n`)
  const same = unchanged.length + definitions.filter(({ outcome }) => outcome === 'unchanged').length
  const all = published.length + unchanged.length + definitions.length
  if (always || all > 0) process.stdout.write(`Published ${all - same}, ${same} there already.\n`)
  for (const line of activeLines(active, [...published, ...unchanged])) process.stdout.write(`${line}\n`)
}

/** Null when only packs are published. */
function folderRequest({ workspace, message, expect }: Input, paths: readonly string[]): FolderRequest | null {
  if (typeof workspace !== 'string') {
    if (message !== undefined || expect !== undefined)
      throw new Fault('usage_invalid', { problem: '--message and --expect belong to a version: name its workspace with --workspace' })
    return null
  }
  if (paths.length > 1)
    throw new Fault('usage_invalid', { problem: '--workspace takes one folder: it becomes the whole of the next version' })
  const [folder = '.'] = paths
  if (statSync(folder, { throwIfNoEntry: false })?.isFile()) throw new Fault('usage_invalid', { problem: `${folder} is not a folder` })
  return {
    workspace,
    folder,
    ...(message === undefined ? {} : { message: String(message) }),
    ...(expect === undefined ? {} : { expected: versionNumber(expect, 0) }),
  }
}

async function checkExpected(book: Book, { workspace, expected }: FolderRequest): Promise<void> {
  if (expected === undefined) return
  const found = await latestVersion(book, workspace)
  if (expected !== found) throw new Fault('workspace_conflict', { workspace, expected, found })
}
