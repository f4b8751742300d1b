// onbook workspace check, and workspace show --checks: lints and tests the exact files of a version.
import type { WorkspaceChecks } from '../../client/index.ts'
import type { Input } from '../commands.ts'
import { withRecordBook } from '../host/record-book.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { counted } from './format.ts'
import { choiceOf } from './open-workspaces.ts'

type Checks = NonNullable<WorkspaceChecks['checks']>

/** Exits with 1 when there are errors, or failed tests. */
export const check = (input: Input): Promise<number> =>
  withRecordBook(input, async book => {
    const { workspace, ...choice } = choiceOf(input.name)
    return printChecks(await book.workspaces.check(workspace, choice), input)
  })

export function printChecks(found: WorkspaceChecks, input: Input): number {
  const { workspace, version, checks, findings, cases } = found
  if (input.json) printJson(found)
  else if (checks === null)
    process.stdout.write(visible(`Version ${version} of ${workspace} was not checked, or holds nothing to check.\n`))
  else {
    for (const { file, line, column, severity, message, rule } of findings)
      process.stdout.write(`${visible(`${file}:${line}:${column}  ${severity}  ${message}  (${rule})`)}\n`)
    for (const { pack, example, status, problems } of cases)
      if (status === 'fail' || status === 'error')
        process.stdout.write(`${visible(`${pack}  ${status}  ${example ?? ''}: ${problems[0]?.message ?? ''}`)}\n`)
    process.stdout.write(`${checksSentence(checks)} (${visible(checks.checker)}, ${checks.at})\n`)
  }
  return checks !== null && isBad(checks) ? 1 : 0
}

const isBad = ({ errors, tests }: Checks): boolean => errors > 0 || (tests !== null && tests.fail + tests.error > 0)

export function checksSentence({ files, errors, warnings, tests }: Checks): string {
  const tested = tests === null ? '' : `; tests: ${tests.pass} pass, ${tests.fail + tests.error} fail`
  return `Checked ${counted(files, 'file')}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}${tested}.`
}
