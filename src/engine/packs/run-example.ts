// Runs one example of a pack through a model: builds the prompt, calls the model, and compares the reply with the expected one.

import type { ExampleMessages } from '../../core/example/messages.ts'
import { replyValue } from '../../core/example/reply.ts'
import type { Example, Pack } from '../../core/pack/pack.ts'
import { compareJson, type Difference, textDiff } from '../../core/schema/compare-json.ts'
import { pointerText } from '../../core/schema/pointer.ts'
import type { Schemas } from '../../core/schema/schemas.ts'
import type { Verdict } from '../../core/schema/verdict.ts'
import { Fault } from '../../errors.ts'
import type { Model, Validator } from '../../ports.ts'

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

/** More than any answer to an example: beyond it something is wrong. */
const MAX_REPLY = 4 * 1024 * 1024
const MAX_SHOWN = 200
/** Long enough for a model that listens, too short to be noticed. */
const LAST_WORDS_MS = 250

/** A result before it is known how long it took. */
export type Settled = Omit<CaseResult, 'pack' | 'example' | 'ms'>

/** The result is unknown: neither a pass nor a deliberate skip. */
export const INTERRUPTED: Settled = {
  status: 'error',
  problems: [{ code: 'interrupted', message: 'Not finished: the run was interrupted' }],
}
export const problem = (code: string, message: string, pointer?: string): CaseProblem => ({
  code,
  message,
  ...(pointer ? { pointer } : {}),
})

export interface ExampleRun {
  readonly schemas: Schemas
  readonly validator: Validator
  readonly pack: Pack
  readonly path: string
  readonly example: Example
  /** The validator's verdict on the input. */
  readonly input: Verdict
  readonly messages: ExampleMessages
  readonly model: Promise<Model>
  readonly options: { readonly timeoutMs: number; readonly fences: boolean; readonly signal: AbortSignal }
}

/** Steps 3 to 5: input, reply, output. */
export async function runExample(run: ExampleRun): Promise<Settled> {
  const { schemas, validator, pack, path, example, messages, options } = run
  const inputProblems = mismatches(run.input, 'input')
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

  if (text.length > MAX_REPLY) {
    const message = `The reply has ${text.length} characters; at most ${MAX_REPLY} are read`
    return { status: 'fail', problems: [problem('reply_invalid', message)], model: model.name }
  }
  const reply = replyValue(text, schemas.get(pack.outputSchema)?.schema ?? null, options)
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
  if (op === 'add') return `${where} was not expected: ${shortly(actual)}`
  if (op === 'remove') return `${where} is missing: expected ${shortly(expected)}`
  return `${where}: expected ${shortly(expected)}, got ${shortly(actual)}`
}

/** Short form for a message; the whole value is in `differences`. */
function shortly(value: Difference['actual']): string {
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** Aborts the model call. The case ends here, whether the model reacts or not. */
async function withTimeout<T>({ timeoutMs, signal }: ExampleRun['options'], work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMs)
  const stop = AbortSignal.any([signal, late.signal])
  const stopped = new Promise<never>((_, reject) => stop.addEventListener('abort', () => reject(stop.reason), { once: true }))
  const working = work(stop)
  try {
    return await Promise.race([working, stopped])
  } catch (error) {
    if (signal.aborted || !late.signal.aborted) throw error
    const before = await lastWords(working)
    throw new Error(`no reply within ${timeoutMs / 1000} s${before === null ? '' : `; before that, ${before}`}`)
  } finally {
    clearTimeout(timer)
  }
}

/** The error of a model's earlier attempts, after it was aborted. The abort itself is not reported. */
async function lastWords(working: Promise<unknown>): Promise<string | null> {
  const failure = working.then(
    () => null,
    (error: Error) => (error.name === 'AbortError' ? null : error.message),
  )
  return Promise.race([failure, new Promise<null>(resume => setTimeout(resume, LAST_WORDS_MS, null))])
}
