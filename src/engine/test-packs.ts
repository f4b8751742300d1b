// Runs packs' examples through a model: seed 001's five steps. Every example gets a result, whatever happens to the others.
import { compareJson, type Difference, textDiff } from '../core/example/compare.ts'
import { type ExampleMessages, messagesFor } from '../core/example/messages.ts'
import { readReply } from '../core/example/reply.ts'
import { preparePack } from '../core/lint/lint.ts'
import type { Example, Pack } from '../core/pack/pack.ts'
import { positionOf } from '../core/pack/place.ts'
import { pointerText } from '../core/schema/pointer.ts'
import { closureOf, isUsable } from '../core/schema/schemas.ts'
import type { Verdict } from '../core/schema/verdict.ts'
import { Fault } from '../errors.ts'
import type { Model, Validator } from '../ports.ts'
import { MAX_PACK_BYTES, type Workspace } from './workspace.ts'

export type CaseStatus = 'pass' | 'fail' | 'skip' | 'error'

export interface CaseProblem {
  readonly code: string
  readonly message: string
  readonly pointer?: string
}

export interface CaseResult {
  readonly pack: string
  /** Null when the pack as a whole could not be tested. */
  readonly example: string | null
  readonly status: CaseStatus
  readonly problems: readonly CaseProblem[]
  readonly differences?: readonly Difference[]
  readonly diff?: string
  /** Passed against the schema only: the example expects nothing. */
  readonly note?: 'no-expectation'
  readonly model?: string
  readonly ms: number
}

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
  readonly run: () => Promise<Omit<CaseResult, 'pack' | 'example' | 'ms'>>
}

export async function testPacks(
  workspace: Workspace,
  validator: Validator,
  paths: readonly string[],
  options: TestOptions,
): Promise<readonly CaseResult[]> {
  const cases = (await Promise.all(paths.map(path => casesOf(workspace, validator, path, options)))).flat()
  const results: CaseResult[] = new Array(cases.length)
  let next = 0
  const work = async () => {
    for (let index = next++; index < cases.length; index = next++) {
      results[index] = await runCase(cases[index]!, options.signal)
      options.onCase?.(results[index]!, cases.length)
    }
  }
  await Promise.all(Array.from({ length: Math.min(options.concurrency, cases.length) }, work))
  return results
}

async function runCase({ path, example, run }: Case, signal: AbortSignal): Promise<CaseResult> {
  const started = performance.now()
  const settled = signal.aborted ? INTERRUPTED : await run()
  return { pack: path, example, ...settled, ms: Math.round((performance.now() - started) * 10) / 10 }
}

const INTERRUPTED = { status: 'skip' as const, problems: [{ code: 'interrupted', message: 'Interrupted before it ended' }] }
const whole = (path: string, status: CaseStatus, problems: readonly CaseProblem[]): Case[] => [
  { path, example: null, run: async () => ({ status, problems }) },
]
const problem = (code: string, message: string, pointer?: string): CaseProblem => ({ code, message, ...(pointer ? { pointer } : {}) })

/** Steps 1 and 2: the pack's structure and its schemas. A pack that fails them has one result, an error. */
async function casesOf(workspace: Workspace, validator: Validator, path: string, options: TestOptions): Promise<Case[]> {
  const read = await workspace.files.readText(path, MAX_PACK_BYTES)
  if (!read.ok) return whole(path, 'error', [problem('file_unreadable', `The file cannot be read: ${read.message}`)])
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
  if ((pack.examples ?? []).length === 0) return whole(path, 'skip', [problem('no-tests', 'No tests: the pack has no examples')])
  const model = options.modelFor(path)
  model.catch(() => undefined) // each case reports it
  const messages = messagesFor(pack, workspace.schemas)
  return (pack.examples ?? []).map(example => ({
    path,
    example: example.name,
    run: () => runExample(workspace, validator, { pack, path, example, messages: messages(example), model, options }),
  }))
}

async function findSchemaProblems({ schemas }: Workspace, validator: Validator, pack: Pack): Promise<CaseProblem[]> {
  const problems: CaseProblem[] = []
  for (const field of ['inputSchema', 'outputSchema'] as const) {
    const closure = closureOf(pack[field], schemas)
    if (closure === null) problems.push(problem('schema_missing', `${field}: no schema under schemas/ has the $id ${pack[field]}`))
    for (const { ref, path } of closure?.unresolved ?? [])
      problems.push(problem('schema_missing', `${field}: $ref "${ref}" in ${path} leads nowhere`))
    for (const { message } of closure?.faults ?? []) problems.push(problem('schema_unusable', `${field}: ${message}`))
    if (!isUsable(pack[field], schemas)) continue
    const [verdict] = await validator.ask(schemas, [{ schema: pack[field] }])
    if (verdict?.outcome === 'unusable') problems.push(problem('schema_unusable', `${field}: ${verdict.message}`))
  }
  return problems
}

interface ExampleRun {
  readonly pack: Pack
  readonly path: string
  readonly example: Example
  readonly messages: ExampleMessages
  readonly model: Promise<Model>
  readonly options: TestOptions
}

/** Steps 3 to 5: input, reply, output. */
async function runExample(
  { schemas }: Workspace,
  validator: Validator,
  run: ExampleRun,
): Promise<Omit<CaseResult, 'pack' | 'example' | 'ms'>> {
  const { pack, path, example, messages, options } = run
  const [input] = await validator.ask(schemas, [{ schema: pack.inputSchema, instance: example.input }])
  const inputProblems = mismatches(input!, 'input')
  if (inputProblems.length > 0) return { status: 'fail', problems: inputProblems }
  if (!messages.ok) return { status: 'fail', problems: messages.problems.map(message => problem('render_failed', message)) }

  let model: Model
  let text: string
  try {
    model = await run.model
    text = await withTimeout(options, signal => model.complete({ pack: path, example: example.name, messages: messages.messages }, signal))
  } catch (error) {
    if (options.signal.aborted) return INTERRUPTED
    return {
      status: 'error',
      problems: [error instanceof Fault ? problem(error.code, error.message) : problem('model_failed', (error as Error).message)],
    }
  }

  const reply = readReply(text, options)
  if (!reply.ok) return { status: 'fail', problems: [problem('reply_invalid', reply.message)], model: model.name }
  const [output] = await validator.ask(schemas, [{ schema: pack.outputSchema, instance: reply.value }])
  const outputProblems = mismatches(output!, 'output')
  if (example.expectedOutput === undefined) {
    if (outputProblems.length > 0) return { status: 'fail', problems: outputProblems, model: model.name }
    return { status: 'pass', problems: [], note: 'no-expectation', model: model.name }
  }
  const differences = compareJson(example.expectedOutput, reply.value, example.ignore)
  if (outputProblems.length === 0 && differences.length === 0) return { status: 'pass', problems: [], model: model.name }
  return {
    status: 'fail',
    problems: [...outputProblems, ...differences.map(difference => problem('output_differs', describe(difference), difference.path))],
    ...(differences.length === 0 ? {} : { differences, diff: textDiff(example.expectedOutput, reply.value) }),
    model: model.name,
  }
}

function mismatches(verdict: Verdict, what: string): CaseProblem[] {
  if (verdict.outcome === 'valid') return []
  if (verdict.outcome === 'unusable') return [problem('schema_unusable', `${what}: ${verdict.message}`)]
  return verdict.mismatches.map(({ pointer, message }) =>
    problem(`${what}_invalid`, `${what}${pointerText(pointer)} ${message}`, pointerText(pointer)),
  )
}

function describe({ op, path, expected, actual }: Difference): string {
  const where = path === '' ? 'the output' : path
  if (op === 'add') return `${where} was not expected: ${JSON.stringify(actual)}`
  if (op === 'remove') return `${where} is missing: expected ${JSON.stringify(expected)}`
  return `${where}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`
}

/** The model is told to stop; whether it listens or not, the case ends here. */
async function withTimeout<T>({ timeoutMs, signal }: TestOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const abort = () => stop.abort()
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no reply within ${timeoutMs / 1000} s`)), timeoutMs)
    signal.addEventListener('abort', abort, { once: true })
    stop.signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true })
  })
  try {
    return await Promise.race([work(stop.signal), ended])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    stop.abort()
  }
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
