// Compiles the packs of a sync's version into the snapshot, and reports each pack that would change.
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { isSameTemplates, type PackSet, packsIn, templatesIn } from '../../core/library/pack-set.ts'
import type { Finding } from '../../core/lint/lint.ts'
import { MOST_NODE_BYTES } from '../../core/record/references.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { PackChange, Snapshot } from '../../core/session/snapshot.ts'
import { fail, type SyncResult } from '../../core/session/sync-effects.ts'
import { invalid } from '../../core/session/sync-parts.ts'
import { Fault } from '../../errors.ts'
import type { Files, Model, Store, Validator } from '../../ports.ts'
import { findAmong, loadLabels } from '../library/lookup.ts'
import { type ActivePack, compilePackSet, loadSnapshotPacks, packFilesIn } from '../library/pack-sets.ts'
import { versionsOf } from '../library/rows.ts'
import { checkPacks, summarize } from '../packs/check.ts'
import { openWorkspace, type Workspace } from '../packs/pack-folder.ts'
import { summarizeCases } from '../packs/test-packs.ts'
import { checksReport, testWithoutModel } from '../workspaces/checks.ts'
import { storedFiles } from '../workspaces/stored-files.ts'
import type { WorkspaceUser } from '../workspaces/versions.ts'

export interface PackPlace {
  readonly store: Store
  readonly user: WorkspaceUser
  readonly validator: Validator
}

/** How packs are proved before they become active. */
export interface PackProof {
  /** Answers from the script or the recording beside a pack. Without it, packs are untested. */
  readonly modelFor?: (files: Files, packPath: string) => Promise<Model>
  /** The snapshot that is active now. */
  readonly active: Snapshot | null
}

const MOST_PACKS = 1000

/** Packs that cannot be used end the sync. @param proof left out where nothing is to be applied */
export async function syncPacks(place: PackPlace, result: SyncResult, proof?: PackProof): Promise<SyncResult> {
  if (result.outcome !== 'ready') return result
  const workspace = await opened(place, result.snapshot)
  const paths = workspace === null ? [] : packFilesIn(workspace)
  if (workspace === null || paths.length === 0)
    return proof === undefined ? result : withChanges(result, await removedPacks(place, proof.active, []))
  if (paths.length > MOST_PACKS)
    return fail('packs', 'files_too_many', `the workspace has ${paths.length} versions of packs; a snapshot carries at most ${MOST_PACKS}`)
  const findings = new Map<string, readonly Finding[]>()
  for await (const checked of checkPacks(workspace, place.validator, paths)) findings.set(checked.path, checked.findings)
  const errors = [...workspace.findings, ...[...findings.values()].flat()].filter(({ severity }) => severity === 'error')
  if (errors.length > 0)
    return invalid(
      'packs',
      errors.map(({ file, line, column, message }) => ({ path: file, pointer: [], message, position: { line, column } })),
    )
  const { packs, digest, texts, active } = await compilePackSet(workspace, paths)
  if (texts.some(one => one.digest === digest && one.text.length > MOST_NODE_BYTES))
    return fail('packs', 'files_too_many', 'the names and versions of its packs are too many for one snapshot; remove old versions')
  const ready = { ...result, snapshot: { ...result.snapshot, packs: digest }, objects: [...result.objects, ...texts] }
  if (proof === undefined) return ready
  const before = await loadSnapshotPacks(place.store, place.user.tenant, proof.active)
  const changes: { readonly change: PackChange; readonly text: StoredText | null }[] = []
  for (const one of active) {
    const from = await activeNow(place, before?.packs ?? null, packs, one)
    if (!from.isSame) changes.push(await changeOf(place, workspace, one, from.version, findings.get(one.path) ?? [], proof))
  }
  const removed = await removedPacks(place, proof.active, active)
  return withChanges(
    { ...ready, objects: [...ready.objects, ...changes.flatMap(({ text }) => text ?? [])] },
    [...changes.map(({ change }) => change), ...removed].toSorted((a, b) => (a.pack < b.pack ? -1 : 1)),
  )
}

const withChanges = (result: SyncResult & { outcome: 'ready' }, packs: readonly PackChange[]): SyncResult =>
  packs.length === 0 ? result : { ...result, packs }

/** Null where the session may not read all of the workspace: it gets the parts that it names, and no packs. */
async function opened({ store, user }: PackPlace, { workspace, root }: Snapshot): Promise<Workspace | null> {
  try {
    return await openWorkspace(await storedFiles(store, user, { workspace, root }))
  } catch (error) {
    if (error instanceof Fault && error.code === 'workspace_not_allowed') return null
    throw error
  }
}

interface ActiveNow {
  readonly version: string | null
  readonly isSame: boolean
}

/** Which version of a pack the agent uses without the new snapshot. */
async function activeNow(
  { store, user: { tenant } }: PackPlace,
  before: PackSet | null,
  packs: PackSet,
  { pack, version }: ActivePack,
): Promise<ActiveNow> {
  const own = templatesIn(packs, pack, version)
  const known = before?.active[pack]
  if (before !== null && known !== undefined) return { version: known, isSame: isSameTemplates(templatesIn(before, pack, known), own) }
  const now = new Map<string, Digest>()
  let from: string | null = null
  for (const templateId of own.keys()) {
    const ref = { libraryId: null, templateId, version: null, label: null, variableOverrides: null }
    const found = findAmong(await versionsOf(store, tenant, templateId), ref, await loadLabels(store, tenant, [ref]))
    if (found.status !== 'found') continue
    now.set(templateId, found.template.digest)
    if (templateId === pack) from = found.template.version
  }
  return { version: from, isSame: isSameTemplates(now, own) }
}

async function changeOf(
  { validator }: PackPlace,
  workspace: Workspace,
  { pack, version, path }: ActivePack,
  from: string | null,
  findings: readonly Finding[],
  { modelFor }: PackProof,
): Promise<{ readonly change: PackChange; readonly text: StoredText }> {
  const cases = modelFor === undefined ? [] : await testWithoutModel(workspace, { validator, modelFor }, [path])
  const tests = cases.length === 0 ? null : summarizeCases(cases)
  const proof =
    tests === null || tests.pass + tests.fail + tests.error === 0 ? 'untested' : tests.fail + tests.error > 0 ? 'failed' : 'passed'
  const { errors, warnings } = summarize(1, findings)
  const text = JSON.stringify({ pack, version, ...checksReport(findings, cases) })
  const report = digestText(text)
  return { change: { pack, from, to: version, errors, warnings, tests, proof, report }, text: { digest: report, text } }
}

/** Packs that the active snapshot has and the new one does not. */
async function removedPacks(
  { store, user: { tenant } }: PackPlace,
  active: Snapshot | null,
  kept: readonly ActivePack[],
): Promise<readonly PackChange[]> {
  const before = await loadSnapshotPacks(store, tenant, active)
  if (before === null) return []
  return packsIn(before.packs).flatMap(pack => {
    const from = before.packs.active[pack]
    if (from === undefined || kept.some(one => one.pack === pack)) return []
    return [{ pack, from, to: null, errors: 0, warnings: 0, tests: null, proof: 'removed' as const, report: null }]
  })
}
