// onbook prompt activate: checks and tests a version, then makes it active in the registry and in the record. Any problem refuses all of it.
import { existsSync } from 'node:fs'
import { workerValidator } from '../adapters/validator/worker-validator.ts'
import { modelsFor } from '../book/pack-models.ts'
import { databaseOf } from '../book/record-folder.ts'
import type { Book } from '../book.ts'
import { ACTIVE_LABEL } from '../core/library/events.ts'
import { type Activated, activateVersion, type PackRecord } from '../engine/packs/activate.ts'
import { Fault } from '../errors.ts'
import type { Input } from './commands.ts'
import { openRecordOf } from './host/record-book.ts'
import { isHostNamed, workAt } from './host/which-host.ts'
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
  const book = await libraryOf(input)
  const work = async (): Promise<number> => {
    const result = await activateVersion(
      workspace,
      {
        agentId: String(input.agent),
        version: version ?? null,
        validator,
        record: book === null ? null : recordIn(book),
        test: testOptions(input, models, new AbortController().signal),
        ...(input.message === undefined ? {} : { why: String(input.message) }),
      },
      () => new Date().toISOString(),
    )
    if (input.json) printJson(result)
    else process.stdout.write(sentenceOf(result, databaseOf(input)))
    return 0
  }
  try {
    return book === null ? await work() : await workAt(book, input, work)
  } finally {
    await validator.close()
  }
}

/** The library of the named host or of the folder; null where the folder has no record. */
export const libraryOf = async (input: Input): Promise<Book | null> =>
  isHostNamed(input) || existsSync(databaseOf(input)) ? openRecordOf(input) : null

const recordIn = (book: Book): PackRecord => ({
  history: async agentId =>
    (await book.labels.history(agentId)).flatMap(({ label, to }) => (label === ACTIVE_LABEL && to !== null ? [to] : [])),
  activate: ({ why, ...pack }) => book.packs.activate({ ...pack, ...(why === null ? {} : { why }) }),
})

function sentenceOf({ agentId, from, to, active }: Activated, database: string): string {
  const moved = from === to ? `${agentId}: ${to} is active.` : `${agentId}: ${from === null ? 'first version' : from} → ${to} is active.`
  const where =
    active === undefined
      ? [`Only in the registry: there is no record at ${database}. Runs use it after "onbook publish".`]
      : [...activeLines(active, []), 'The next run uses it, unless a workspace that its agent has applied carries the pack.']
  return `${[moved, ...where].join('\n')}\n`
}
