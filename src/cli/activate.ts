// onbook activate: check, test, then move the registry's active version. Refused whole when anything is wrong.
import { workerValidator } from '../adapters/worker-validator.ts'
import { checkPacks } from '../engine/check.ts'
import { activateVersion } from '../engine/versions.ts'
import { Fault } from '../errors.ts'
import type { Input } from './commands.ts'
import { locate, type Target } from './locate.ts'
import { printJson } from './terminal.ts'
import { testTarget } from './test.ts'

export async function activate(input: Input): Promise<number> {
  const version = input.version as string | undefined
  if ((version === undefined) === (input.back !== true)) throw new Fault('usage_invalid', { problem: 'name a version, or say --back' })
  const { targets } = await locate([])
  const target = targets[0]!
  const result = await activateVersion(
    target.workspace,
    {
      agentId: String(input.agent),
      version: version ?? null,
      prove: path => prove(target, path, input),
      ...(input.why === undefined ? {} : { why: String(input.why) }),
    },
    () => new Date().toISOString(),
  )
  if (input.json) printJson(result)
  else process.stdout.write(`${result.agentId}: ${result.from === null ? 'first version' : result.from} → ${result.to} is active.\n`)
  return 0
}

async function prove(target: Target, path: string, input: Input): Promise<void> {
  const what = target.shown(path)
  const validator = workerValidator()
  try {
    for await (const { findings } of checkPacks(target.workspace, validator, [path])) {
      const errors = findings.filter(finding => finding.severity === 'error').length
      if (errors > 0) throw new Fault('checks_failed', { what, errors })
    }
  } finally {
    await validator.close()
  }
  const results = await testTarget({ ...target, packs: [path] }, input, new AbortController().signal, () => undefined)
  const failed = results.find(({ status }) => status !== 'pass')
  if (failed !== undefined)
    throw new Fault('tests_failed', { what, problem: `${failed.example ?? 'the pack'}: ${failed.problems[0]?.message ?? failed.status}` })
}
