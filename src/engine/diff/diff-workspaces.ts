// Compares two versions of a workspace: which files differ, which decisions change with them, and what those affect.
import { compareBytes, compareFiles, packIn, packMeans } from '../../core/diff/compare-content.ts'
import { bounded, type Decision, type Differences, type Meaning, type TextChange } from '../../core/diff/difference.ts'
import { isMadeOf, reached, subjectOf } from '../../core/diff/subjects.ts'
import { diffTrees, type TreeDifference } from '../../core/workspace/diff.ts'
import { isWithin } from '../../core/workspace/path.ts'
import type { Files, Store } from '../../ports.ts'
import { MAX_PACK_BYTES, previousPath } from '../packs/pack-folder.ts'
import { conduct } from '../workspaces/nodes.ts'
import { storedFiles } from '../workspaces/stored-files.ts'
import { checkUse, treeOf, type VersionChoice, type WorkspaceUser } from '../workspaces/versions.ts'

export interface WorkspaceDifferences extends Differences {
  /** `desk version 1` */
  readonly a: string
  readonly b: string
}

/** @param path compares only this file or folder */
export async function diffWorkspaces(
  store: Store,
  user: WorkspaceUser,
  a: VersionChoice,
  b: VersionChoice,
  path = '',
): Promise<WorkspaceDifferences> {
  const [one, other] = [await treeOf(store, user, a, 'diff', path), await treeOf(store, user, b, 'diff', path)]
  // The diff shows contents too, not only paths.
  for (const { workspace } of [a, b]) checkUse(user, workspace, 'read', path)
  const all = await conduct(store, user.tenant, diffTrees(one.root, other.root))
  const changes = all.filter(change => isWithin(change.path, path))
  const [before, after] = [await storedFiles(store, user, a), await storedFiles(store, user, b)]
  const decisions: Decision[] = []
  const texts: TextChange[] = []
  const means: Meaning[] = []
  for (const change of changes) {
    const found = await compareChange(change, before, after)
    decisions.push(...found.decisions)
    texts.push(...found.texts)
    means.push(...found.means)
  }
  const bytes = changes.filter(({ kind }) => kind !== 'mode' && kind !== 'annotations')
  means.push(...reached(await madeOf(after), new Set(bytes.map(({ path }) => path))))
  const named = ({ workspace, version }: typeof one): string => `${workspace} version ${version}`
  return { a: named(one), b: named(other), ...bounded(decisions, texts), means }
}

interface Found {
  readonly decisions: readonly Decision[]
  readonly texts: readonly TextChange[]
  readonly means: readonly Meaning[]
}

async function compareChange({ path, kind, from, to }: TreeDifference, before: Files, after: Files): Promise<Found> {
  const what = subjectOf(path)
  const [a, b] = [await textIn(before, path), await textIn(after, path)]
  if (kind === 'changed') {
    return a !== null && b !== null ? compareFiles({ what, path }, path, a, b) : compareBytes({ what, path }, from!.digest, to!.digest)
  }
  if (kind === 'mode' || kind === 'annotations') {
    const sideValue = (side: typeof from): string | null => (kind === 'mode' ? side!.mode : (side!.annotations ?? null))
    return { decisions: [{ what, path, name: kind, a: sideValue(from), b: sideValue(to) }], texts: [], means: [] }
  }
  const means = kind === 'added' && b !== null ? await newVersion(after, path, b) : []
  return { decisions: [{ what, path, a: from === undefined ? null : 'there', b: to === undefined ? null : 'there' }], texts: [], means }
}

/** Compares a new pack with the version before it. */
async function newVersion(files: Files, path: string, text: string): Promise<readonly Meaning[]> {
  const pack = packIn(path, text)
  const packs = (await files.list('prompts')).filter(one => subjectOf(one) === 'pack')
  const earlier = pack === null ? null : previousPath({ packs }, path)
  const before = earlier === null ? null : packIn(earlier, (await textIn(files, earlier)) ?? '')
  return pack === null || before === null ? [] : packMeans(before, pack, path)
}

async function madeOf(files: Files): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  for (const path of (await files.list('')).filter(isMadeOf)) {
    const text = await textIn(files, path)
    if (text !== null) texts.set(path, text)
  }
  return texts
}

async function textIn(files: Files, path: string): Promise<string | null> {
  const read = await files.readText(path, MAX_PACK_BYTES)
  return read.ok ? read.text : null
}
