// onbook activate: check, test, then make a version active in the registry and in the record. Refused whole when anything is wrong.
import { existsSync } from 'node:fs'
import { workerValidator } from '../adapters/validator/worker-validator.ts'
import { hostConfigOf } from '../book/host-config.ts'
import { modelsFor } from '../book/pack-models.ts'
import { openProductStore } from '../book/product-store.ts'
import { actorOf, databaseOf, tenantOf } from '../book/record-folder.ts'
import { type Activated, activateVersion } from '../engine/packs/activate.ts'
import { Fault } from '../errors.ts'
import type { Input } from './commands.ts'
import { locate } from './locate.ts'
import { activeLines } from './report/active-lines.ts'
import { printJson } from './terminal.ts'
import { testOptions } from './test.ts'

export async function activate(input: Input): Promise<number> {
  const version = input.version as string | undefined
  if ((version === undefined) === (input.back !== true)) throw new Fault('usage_invalid', { problem: 'name a version, or say --back' })
  const { workspace } = (await locate([])).targets[0]!
  const models = modelsFor(workspace.files, input.model as string | undefined, false)
  const validator = workerValidator()
  const store = existsSync(databaseOf(input)) ? openProductStore(input) : null
  const writer = { tenant: tenantOf(input), libraryId: hostConfigOf(input).libraryId, actor: actorOf() }
  try {
    const result = await activateVersion(
      workspace,
      {
        agentId: String(input.agent),
        version: version ?? null,
        validator,
        record: store === null ? null : { store, writer },
        test: testOptions(input, models, new AbortController().signal),
        ...(input.why === undefined ? {} : { why: String(input.why) }),
      },
      () => new Date().toISOString(),
    )
    if (input.json) printJson(result)
    else process.stdout.write(sentenceOf(result, databaseOf(input)))
    return 0
  } finally {
    await validator.close()
    await store?.close()
  }
}

function sentenceOf({ agentId, from, to, active }: Activated, database: string): string {
  const moved = from === to ? `${agentId}: ${to} is active.` : `${agentId}: ${from === null ? 'first version' : from} → ${to} is active.`
  const where =
    active === undefined
      ? [`Only in the registry: there is no record at ${database}. Runs use it after "onbook publish".`]
      : [...activeLines(active, []), 'The next run uses it, unless a workspace that its agent has applied carries the pack.']
  return `${[moved, ...where].join('\n')}\n`
}
