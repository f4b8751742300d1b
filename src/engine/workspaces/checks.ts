// Checks a workspace version in the record, and stores the report under its root, so that it applies to exactly those bytes.
import { type Digest, digestText } from '../../core/digest/digest.ts'
import type { Finding } from '../../core/lint/lint.ts'
import { recordingOf, scriptOf } from '../../core/pack/identity.ts'
import type { Row } from '../../core/record/projection.ts'
import { type WorkspaceChecked, workspaceCheckedDraft, workspaceCheckRows, workspaceStream } from '../../core/workspace/events.ts'
import type { Files, Model, Store, Validator } from '../../ports.ts'
import { checkPacks, summarize } from '../packs/check.ts'
import { checkLayout } from '../packs/check-layout.ts'
import { openWorkspace, type Workspace } from '../packs/pack-folder.ts'
import type { CaseResult } from '../packs/run-example.ts'
import { summarizeCases, testPacks } from '../packs/test-packs.ts'
import { optimisticRetry } from '../work/optimistic-retry.ts'
import type { WorkspaceWriter } from './commit.ts'
import { storedFiles } from './stored-files.ts'
import { checkUse, treeOf, type VersionChoice, type WorkspaceUser } from './versions.ts'

export interface VersionChecks extends Omit<WorkspaceChecked, 'workspace' | 'root'> {
  readonly at: string
}

/** The content of the report object. */
export interface ChecksReport {
  readonly findings: readonly Omit<Finding, 'fix'>[]
  readonly cases: readonly Omit<CaseResult, 'ms'>[]
}

export interface Checker {
  /** `onbook 1.2.3`. */
  readonly name: string
  readonly validator: Validator
  /** The scripted or recorded replies beside a pack; called only for a pack with examples. */
  readonly modelFor: (files: Files, packPath: string) => Promise<Model>
}

const AT_ONCE = 8
const TIMEOUT_MS = 60_000

/** Null when there is nothing in it that a check knows. */
export async function checkVersion(
  store: Store,
  writer: WorkspaceWriter,
  choice: VersionChoice,
  checker: Checker,
): Promise<VersionChecks | null> {
  const { tenant, actor } = writer
  const { workspace, root } = await treeOf(store, writer, choice, 'read')
  checkUse(writer, workspace, 'write')
  const { report, summary } = await judge(await openWorkspace(await storedFiles(store, writer, { workspace, root })), checker)
  if (summary.files === 0 && report.findings.length === 0) return null
  const text = JSON.stringify(report)
  const made = { checker: checker.name, ...summary, report: digestText(text) }
  const stream = workspaceStream(workspace)
  await optimisticRetry(async () =>
    store.commit({
      tenant,
      objects: [new TextEncoder().encode(text)],
      appends: [
        { stream, expected: (await store.head(tenant, stream)).seq, entries: [workspaceCheckedDraft({ workspace, root, ...made }, actor)] },
      ],
    }),
  )
  return checksOf(store, writer, { workspace, root })
}

async function judge(workspace: Workspace, { validator, modelFor }: Checker) {
  const { packs } = workspace
  const found = [...workspace.findings]
  for await (const { findings } of checkPacks(workspace, validator, packs)) found.push(...findings)
  const layout = await checkLayout(workspace)
  found.push(...layout.findings)
  const cases = await testWithoutModel(workspace, { validator, modelFor }, packs)
  const tests = cases.length === 0 ? null : summarizeCases(cases)
  return { report: checksReport(found, cases), summary: { ...summarize(packs.length + layout.files.length, found), tests } }
}

/** Without what two checks of the same bytes do not have in common. */
export const checksReport = (findings: readonly Finding[], cases: readonly CaseResult[]): ChecksReport => ({
  findings: findings.map(({ fix: _, ...finding }) => finding),
  cases: cases.map(({ ms: _, ...one }) => one),
})

/** The examples of packs that have a script or a recording beside them. */
export async function testWithoutModel(
  workspace: Workspace,
  { validator, modelFor }: Pick<Checker, 'validator' | 'modelFor'>,
  paths: readonly string[],
): Promise<readonly CaseResult[]> {
  const { files } = workspace
  const testable: string[] = []
  for (const path of paths)
    if ((await files.kind(scriptOf(path))) === 'file' || (await files.kind(recordingOf(path))) === 'file') testable.push(path)
  return testPacks(workspace, validator, testable, {
    modelFor: path => modelFor(files, path),
    concurrency: AT_ONCE,
    timeoutMs: TIMEOUT_MS,
    fences: false,
    signal: new AbortController().signal,
  })
}

/** The last check of these bytes, or null if they were never checked. */
export async function checksOf(
  store: Store,
  user: WorkspaceUser,
  { workspace, root }: { readonly workspace: string; readonly root: Digest },
): Promise<VersionChecks | null> {
  checkUse(user, workspace, 'resolve')
  for await (const { cells } of store.rows(workspaceCheckRows.table, user.tenant, { workspace, root })) return toChecks(cells)
  return null
}

const toChecks = (cells: Row): VersionChecks => ({
  at: String(cells.at),
  checker: String(cells.checker),
  files: Number(cells.files),
  errors: Number(cells.errors),
  warnings: Number(cells.warnings),
  infos: Number(cells.infos),
  tests:
    cells.pass === null
      ? null
      : { pass: Number(cells.pass), fail: Number(cells.fail), skip: Number(cells.skip), error: Number(cells.error) },
  report: cells.report as Digest,
})

export async function reportOf(store: Store, { tenant }: WorkspaceUser, { report }: VersionChecks): Promise<ChecksReport> {
  return JSON.parse(new TextDecoder().decode(await store.object(tenant, report))) as ChecksReport
}
