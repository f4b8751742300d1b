// onbook activate: check, test, then move the registry's active version. Refused whole when anything is wrong.
import { workerValidator } from '../adapters/worker-validator.ts'
import { activateVersion } from '../engine/activate.ts'
import { Fault } from '../errors.ts'
import type { Input } from './commands.ts'
import { locate } from './locate.ts'
import { modelsFor } from './models.ts'
import { printJson } from './terminal.ts'
import { testOptions } from './test.ts'

export async function activate(input: Input): Promise<number> {
  const version = input.version as string | undefined
  if ((version === undefined) === (input.back !== true)) throw new Fault('usage_invalid', { problem: 'name a version, or say --back' })
  const { workspace } = (await locate([])).targets[0]!
  const models = modelsFor(workspace.files, input.model as string | undefined, false)
  const validator = workerValidator()
  try {
    const result = await activateVersion(
      workspace,
      {
        agentId: String(input.agent),
        version: version ?? null,
        validator,
        test: testOptions(input, models, new AbortController().signal),
        ...(input.why === undefined ? {} : { why: String(input.why) }),
      },
      () => new Date().toISOString(),
    )
    if (input.json) printJson(result)
    else process.stdout.write(`${result.agentId}: ${result.from === null ? 'first version' : result.from} → ${result.to} is active.\n`)
    return 0
  } finally {
    await validator.close()
  }
}
