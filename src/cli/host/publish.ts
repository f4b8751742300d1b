// onbook publish: packs into the library, agents and workflows into the record; with --workspace, the whole folder as the next version of
// that workspace too.
import { statSync } from 'node:fs'
import { workerValidator } from '../../adapters/validator/worker-validator.ts'
import { hostConfigOf } from '../../book/host-config.ts'
import { openProductStore } from '../../book/product-store.ts'
import { actorOf, tenantOf } from '../../book/record-folder.ts'
import type { DefinitionKind } from '../../core/definition/published.ts'
import { isWithin } from '../../core/workspace/path.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { definitionsIn } from '../../engine/definitions/folder.ts'
import { checkWritable, type PreparedDefinition, type PublishedDefinition, publishDefinitions } from '../../engine/definitions/publish.ts'
import { type PackSchemas, publishSchemas } from '../../engine/library/pack-schemas.ts'
import type { CompiledPacks } from '../../engine/library/publish.ts'
import { compilePacks, joined, type PublishedPacks, publishFresh, schemasOfPacks } from '../../engine/packs/publish-packs.ts'
import { resolveWorkspace } from '../../engine/workspaces/versions.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { locate, type Target } from '../locate.ts'
import { activeLines } from '../report/active-lines.ts'
import { printJson } from '../terminal.ts'
import { checkRoot, checksSentence } from '../workspace/checks.ts'
import { versionNumber } from '../workspace/open-workspaces.ts'
import { type FolderRequest, publishFolder, sentenceOf, summaryOf } from '../workspace/publish-folder.ts'

export async function publish(input: Input): Promise<number> {
  const paths = (input.paths as string[] | undefined) ?? []
  const folder = folderRequest(input, paths)
  const { targets, missing } = await locate(paths)
  if (missing.length > 0) throw new Fault('path_missing', { path: missing.join(', ') })
  // All of it is read and checked before there is a record to write to.
  const { compiled, schemas, definitions } = await prepare(targets)
  if (folder === null && compiled.templates.length + definitions.length === 0)
    throw new Fault('packs_missing', { where: targets.map(({ root }) => root).join(', ') })
  const user = { tenant: tenantOf(input), policy: EVERYTHING }
  const writer = { tenant: tenantOf(input), libraryId: hostConfigOf(input).libraryId, actor: actorOf() }
  const store = openProductStore(input)
  try {
    // What is refused anyway must not leave packs behind.
    if (folder !== null) await checkExpected(store, user, folder)
    await checkWritable(store, writer.tenant, definitions)
    const packs = await publishFresh(store, writer, compiled)
    await publishSchemas(store, writer, schemas)
    const { results } = await publishDefinitions(store, writer, definitions)
    const committed = folder === null ? null : await publishFolder(store, user, input, folder)
    const checks = committed === null ? null : await checkRoot(store, user, committed)
    if (input.json)
      printJson({ ...packs, ...byKind(results), ...(committed === null ? {} : { workspace: { ...summaryOf(committed), checks } }) })
    else {
      printPublished(packs, results, folder === null)
      if (committed !== null) process.stdout.write(`${sentenceOf(committed)}\n`)
      if (checks !== null) process.stdout.write(`${checksSentence(checks)}\n`)
    }
    return 0
  } finally {
    await store.close()
  }
}

interface Prepared {
  readonly compiled: CompiledPacks
  readonly schemas: readonly PackSchemas[]
  readonly definitions: readonly PreparedDefinition[]
}

async function prepare(targets: readonly Target[]): Promise<Prepared> {
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

function byKind(results: readonly PublishedDefinition[]) {
  const of = (kind: DefinitionKind) =>
    results
      .filter(result => result.kind === kind)
      .map(({ id, outcome, revision, digest }) => ({ [`${kind}Id`]: id, outcome, revision, digest }))
  return { agents: of('agent'), workflows: of('workflow') }
}

function printPublished({ published, unchanged, active }: PublishedPacks, results: readonly PublishedDefinition[], always: boolean): void {
  for (const ref of published) process.stdout.write(`${ref}\n`)
  for (const { kind, id, outcome, revision } of results) process.stdout.write(`${kind} ${id}: ${outcome}, revision ${revision}\n`)
  const same = unchanged.length + results.filter(({ outcome }) => outcome === 'unchanged').length
  const all = published.length + unchanged.length + results.length
  if (always || all > 0) process.stdout.write(`Published ${all - same}, ${same} there already.\n`)
  for (const line of activeLines(active, [...published, ...unchanged])) process.stdout.write(`${line}\n`)
}

/** Null when only packs are meant. */
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

async function checkExpected(
  store: Store,
  user: Parameters<typeof resolveWorkspace>[1],
  { workspace, expected }: FolderRequest,
): Promise<void> {
  const resolved = await resolveWorkspace(store, user, { workspace })
  const found = resolved.exists ? resolved.version : 0
  if (expected !== undefined && expected !== found) throw new Fault('workspace_conflict', { workspace, expected, found })
}
