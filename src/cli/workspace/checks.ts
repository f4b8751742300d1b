// Lint and tests of a version, by its root: made when it is published or when asked for, shown for exactly those files.
import { workerValidator } from '../../adapters/validator/worker-validator.ts'
import { modelsFor } from '../../book/pack-models.ts'
import { actorOf } from '../../book/record-folder.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { type Checker, checksOf, checkVersion, reportOf, type VersionChecks } from '../../engine/workspaces/checks.ts'
import { treeOf, type VersionChoice, type WorkspaceUser } from '../../engine/workspaces/versions.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { packageVersion } from '../main.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { counted } from './format.ts'
import { choiceOf, withWorkspaces } from './open-workspaces.ts'

interface Root {
  readonly workspace: string
  readonly root: Digest
}

/** What was checked by this very version of ours need not be checked again. */
export async function checkRoot(store: Store, user: WorkspaceUser, { workspace, root }: Root): Promise<VersionChecks | null> {
  const name = `onbook ${packageVersion()}`
  const known = await checksOf(store, user, { workspace, root })
  if (known?.checker === name) return known
  const validator = workerValidator()
  try {
    const modelFor: Checker['modelFor'] = (files, path) => modelsFor(files, undefined, false).modelFor(path)
    return await checkVersion(store, { ...user, actor: actorOf() }, { workspace, root }, { name, validator, modelFor })
  } finally {
    await validator.close()
  }
}

/** Ends with 1 when there are errors, or tests that failed. */
export const check = (input: Input): Promise<number> =>
  withWorkspaces(input, async (store, user) => {
    const { workspace, version, root } = await treeOf(store, user, choiceOf(input.name), 'resolve')
    return print(store, user, { workspace, version, checks: await checkRoot(store, user, { workspace, root }) }, input)
  })

export async function showChecks(store: Store, user: WorkspaceUser, choice: VersionChoice, input: Input): Promise<number> {
  const { workspace, version, root } = await treeOf(store, user, choice, 'resolve')
  await print(store, user, { workspace, version, checks: await checksOf(store, user, { workspace, root }) }, input)
  return 0
}

interface Shown {
  readonly workspace: string
  readonly version: number
  readonly checks: VersionChecks | null
}

async function print(store: Store, user: WorkspaceUser, { workspace, version, checks }: Shown, input: Input): Promise<number> {
  const report = checks === null ? { findings: [], cases: [] } : await reportOf(store, user, checks)
  if (input.json) printJson({ workspace, version, checks, ...report })
  else if (checks === null)
    process.stdout.write(visible(`Version ${version} of ${workspace} was not checked, or holds nothing to check.\n`))
  else {
    for (const { file, line, column, severity, message, rule } of report.findings)
      process.stdout.write(`${visible(`${file}:${line}:${column}  ${severity}  ${message}  (${rule})`)}\n`)
    for (const { pack, example, status, problems } of report.cases)
      if (status === 'fail' || status === 'error')
        process.stdout.write(`${visible(`${pack}  ${status}  ${example ?? ''}: ${problems[0]?.message ?? ''}`)}\n`)
    process.stdout.write(`${checksSentence(checks)} (${visible(checks.checker)}, ${checks.at})\n`)
  }
  return checks !== null && isBad(checks) ? 1 : 0
}

const isBad = ({ errors, tests }: VersionChecks): boolean => errors > 0 || (tests !== null && tests.fail + tests.error > 0)

export function checksSentence({ files, errors, warnings, tests }: VersionChecks): string {
  const tested = tests === null ? '' : `; tests: ${tests.pass} pass, ${tests.fail + tests.error} fail`
  return `Checked ${counted(files, 'file')}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}${tested}.`
}
