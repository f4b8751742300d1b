// onbook publish: packs into the library; with --workspace, the whole folder as the next version of that workspace too.
import { statSync } from 'node:fs'
import { workerValidator } from '../../adapters/worker-validator.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { type PublishedPacks, publishPacks } from '../../engine/publish-packs.ts'
import { resolveWorkspace } from '../../engine/workspaces/versions.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { type Located, locate } from '../locate.ts'
import { actorOf, tenantOf } from '../record/open-record.ts'
import { printJson } from '../terminal.ts'
import { checkRoot, checksSentence } from '../workspace/checks.ts'
import { versionNumber } from '../workspace/open-workspaces.ts'
import { type FolderRequest, publishFolder, sentenceOf, summaryOf } from '../workspace/publish-folder.ts'
import { hostConfigOf } from './host-config.ts'
import { openProductStore } from './product-store.ts'

export async function publish(input: Input): Promise<number> {
  const paths = (input.paths as string[] | undefined) ?? []
  const folder = folderRequest(input, paths)
  const located = await locate(paths)
  const { targets, missing } = located
  if (missing.length > 0) throw new Fault('path_missing', { path: missing.join(', ') })
  if (folder === null && targets.every(({ packs }) => packs.length === 0))
    throw new Fault('packs_missing', { where: targets.map(({ root }) => root).join(', ') })
  const store = openProductStore(input)
  const user = { tenant: tenantOf(input), policy: EVERYTHING }
  try {
    // A version that is refused anyway must not leave packs behind.
    if (folder !== null) await checkExpected(store, user, folder)
    const packs = await publishLocated(store, input, located)
    const committed = folder === null ? null : await publishFolder(store, user, input, folder)
    const checks = committed === null ? null : await checkRoot(store, user, committed)
    if (input.json) printJson({ ...packs, ...(committed === null ? {} : { workspace: { ...summaryOf(committed), checks } }) })
    else {
      for (const ref of packs.published) process.stdout.write(`${ref}\n`)
      if (folder === null || packs.published.length + packs.unchanged.length > 0)
        process.stdout.write(`Published ${packs.published.length}, ${packs.unchanged.length} there already.\n`)
      if (committed !== null) process.stdout.write(`${sentenceOf(committed)}\n`)
      if (checks !== null) process.stdout.write(`${checksSentence(checks)}\n`)
    }
    return 0
  } finally {
    await store.close()
  }
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

async function publishLocated(store: Store, input: Input, { targets }: Located): Promise<PublishedPacks> {
  const withPacks = targets.filter(({ packs }) => packs.length > 0)
  if (withPacks.length === 0) return { published: [], unchanged: [] }
  const validator = workerValidator()
  const writer = { tenant: tenantOf(input), libraryId: hostConfigOf(input).libraryId, actor: actorOf() }
  try {
    const results: PublishedPacks[] = []
    for (const { workspace, packs } of withPacks) results.push(await publishPacks(workspace, packs, validator, store, writer))
    return { published: results.flatMap(({ published }) => published), unchanged: results.flatMap(({ unchanged }) => unchanged) }
  } finally {
    await validator.close()
  }
}
