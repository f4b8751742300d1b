// Runs the examples of packs through a model, in the five steps of seed 001. Every example gets a result, even if others fail.
import { messagesFor } from '../../core/example/messages.ts'
import { preparePack } from '../../core/lint/lint.ts'
import type { Pack } from '../../core/pack/pack.ts'
import { positionOf } from '../../core/pack/place.ts'
import { closureOf } from '../../core/schema/schemas.ts'
import type { Model, Validator } from '../../ports.ts'
import { MAX_PACK_BYTES, unreadable, type Workspace } from './pack-folder.ts'
import { type CaseProblem, type CaseResult, type CaseStatus, INTERRUPTED, problem, runExample, type Settled } from './run-example.ts'

export interface TestOptions {
  readonly modelFor: (packPath: string) => Promise<Model>
  readonly concurrency: number
  readonly timeoutMs: number
  readonly fences: boolean
  readonly signal: AbortSignal
  readonly onCase?: (result: CaseResult, total: number) => void
}

interface Case {
  readonly path: string
  readonly example: string | null
  readonly run: () => Promise<Settled>
}

export async function testPacks(
  workspace: Workspace,
  validator: Validator,
  paths: readonly string[],
  options: TestOptions,
): Promise<readonly CaseResult[]> {
  const interrupted = abortOf(options.signal)
  const cases = await casesOfAll(workspace, validator, paths, options, interrupted)
  const results: CaseResult[] = new Array(cases.length)
  let next = 0
  const work = async () => {
    for (let index = next++; index < cases.length; index = next++) {
      results[index] = await runCase(cases[index]!, options.signal, interrupted)
      options.onCase?.(results[index]!, cases.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(options.concurrency, cases.length) }, work))
  return results
}

/** Resolves when it is time to stop: whatever is still under way then is not waited for. */
const abortOf = (signal: AbortSignal): Promise<null> =>
  new Promise(resolve => {
    if (signal.aborted) resolve(null)
    signal.addEventListener('abort', () => resolve(null), { once: true })
  })

async function runCase({ path, example, run }: Case, signal: AbortSignal, interrupted: Promise<null>): Promise<CaseResult> {
  const started = performance.now()
  const settled = (signal.aborted ? null : await Promise.race([run().catch(failed), interrupted])) ?? INTERRUPTED
  return { pack: path, example, ...settled, ms: Math.round((performance.now() - started) * 10) / 10 }
}

const whole = (path: string, status: CaseStatus, problems: readonly CaseProblem[]): Case[] => [
  { path, example: null, run: async () => ({ status, problems }) },
]

/** A failure of one example is the result of that example alone. */
const failed = (error: unknown): Settled => ({ status: 'error', problems: [problem('example_failed', (error as Error).message)] })

/** How many packs are open at once. */
const WINDOW = 32

async function casesOfAll(
  workspace: Workspace,
  validator: Validator,
  paths: readonly string[],
  options: TestOptions,
  interrupted: Promise<null>,
): Promise<readonly Case[]> {
  const cases: Case[] = []
  for (let start = 0; start < paths.length; start += WINDOW) {
    const group = paths.slice(start, start + WINDOW)
    const finding = options.signal.aborted ? null : Promise.all(group.map(path => casesOf(workspace, validator, path, options)))
    const found = await Promise.race([finding, interrupted])
    cases.push(...(found ?? group.map(path => whole(path, INTERRUPTED.status, INTERRUPTED.problems))).flat())
  }
  return cases
}

/** Steps 1 and 2: the pack's structure and its schemas. A pack that fails them has one result, an error. */
async function casesOf(workspace: Workspace, validator: Validator, path: string, options: TestOptions): Promise<Case[]> {
  const read = await workspace.files.readText(path, MAX_PACK_BYTES)
  if (!read.ok) return whole(path, 'error', [problem('file_unreadable', unreadable(path, read.message).message)])
  const { read: parsed, templateProblems } = preparePack(path, read.text)
  const { document, errors, pack } = parsed
  if (pack === null || templateProblems.length > 0) {
    const at = (offset: number) => positionOf(read.text, offset).line
    return whole(path, 'error', [
      ...document.problems.map(({ message, start }) => problem('pack_invalid', `line ${at(start)}: ${message}`)),
      ...errors.map(({ message, pointer }) => problem('pack_invalid', `line ${at(document.locate({ pointer }).start)}: ${message}`)),
      ...templateProblems.map(({ message, ...within }) =>
        problem('template_invalid', `line ${at(document.locate({ pointer: ['systemPrompt'], within }).start)}: ${message}`),
      ),
    ])
  }
  const schemaProblems = await findSchemaProblems(workspace, validator, pack)
  if (schemaProblems.length > 0) return whole(path, 'error', schemaProblems)
  const examples = pack.examples ?? []
  if (examples.length === 0) return whole(path, 'skip', [problem('tests_missing', 'No tests: the pack has no examples')])
  const { schemas } = workspace
  const model = options.modelFor(path)
  model.catch(() => undefined) // each case reports it
  const messages = messagesFor(pack, schemas)
  const inputs = await validator.ask(
    schemas,
    examples.map(({ input }) => ({ schema: pack.inputSchema, instance: input })),
  )
  return examples.map((example, index) => ({
    path,
    example: example.name,
    run: () => runExample({ schemas, validator, pack, path, example, input: inputs[index]!, messages: messages(example), model, options }),
  }))
}

async function findSchemaProblems({ schemas }: Workspace, validator: Validator, pack: Pack): Promise<CaseProblem[]> {
  const fields = ['inputSchema', 'outputSchema'] as const
  const problems = fields.flatMap(field => {
    const closure = closureOf(pack[field], schemas)
    if (closure === null) return [problem('schema_missing', `${field}: no schema under schemas/ has the $id ${pack[field]}`)]
    return [
      ...closure.unresolved.map(({ ref, path }) => problem('schema_missing', `${field}: $ref "${ref}" in ${path} leads nowhere`)),
      ...closure.faults.map(({ message }) => problem('schema_unusable', `${field}: ${message}`)),
    ]
  })
  if (problems.length > 0) return problems
  const verdicts = await validator.ask(
    schemas,
    fields.map(field => ({ schema: pack[field] })),
  )
  return fields.flatMap((field, index) => {
    const verdict = verdicts[index]!
    return verdict.outcome === 'unusable' ? [problem('schema_unusable', `${field}: ${verdict.message}`)] : []
  })
}

export interface TestSummary {
  readonly pass: number
  readonly fail: number
  readonly skip: number
  readonly error: number
}

export const summarizeCases = (cases: readonly CaseResult[]): TestSummary => {
  const count = (status: CaseStatus) => cases.filter(result => result.status === status).length
  return { pass: count('pass'), fail: count('fail'), skip: count('skip'), error: count('error') }
}
