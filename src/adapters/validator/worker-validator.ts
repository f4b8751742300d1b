// Folder: Validates with untrusted schemas in a thread that can be stopped.
// JSON Schemas are untrusted code: ajv runs in a worker, which is ended when a validation takes too long, and started again for the next.
import { Worker } from 'node:worker_threads'
import { parsePointer } from '../../core/schema/pointer.ts'
import { closureOf, type Schemas } from '../../core/schema/schemas.ts'
import type { Question, Verdict } from '../../core/schema/verdict.ts'
import type { Validator } from '../../ports.ts'
import { type StoppedSchemas, stoppedSchemas } from './stopped-schemas.ts'

export interface WorkerValidatorOptions {
  /** How long one question may take. */
  readonly patienceMs?: number
  readonly maxMemoryMb?: number
  /** Shared by validators that work for the same tenants. */
  readonly stopped?: StoppedSchemas
}

interface Pending {
  readonly tenant: string
  readonly schemas: Schemas
  readonly question: Question
  readonly settle: (verdict: Verdict) => void
}

type Answer = Exclude<Verdict, { outcome: 'invalid' }> | { outcome: 'invalid'; mismatches: readonly { path: string; message: string }[] }

type Told = Answer | { readonly ready: true }

/** How long a fresh worker may take to load ajv. No question is at fault until it has. */
const START_MS = 10_000
const CLOSED: Verdict = { outcome: 'unusable', message: 'the validator was closed' }

/** Starts its worker at once: loading ajv takes longer than reading the first file. */
export function workerValidator(options: WorkerValidatorOptions = {}): Validator {
  const { patienceMs = 2_000, maxMemoryMb = 512, stopped = stoppedSchemas() } = options
  let worker: Worker | null = null
  let loaded: Schemas | null = null
  let timer: NodeJS.Timeout | null = null
  let queue: Pending[] = []
  /** Whether the present worker has said that it is up. */
  let ready = false
  let closed = false

  const start = (): Worker => {
    const created = new Worker(new URL('./ajv-worker.mjs', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb } })
    created.on('message', (told: Told) => {
      if (created !== worker) return
      if ('ready' in told) ready = true
      else queue.shift()?.settle(toVerdict(told))
      watch()
    })
    created.on('error', error => {
      if (created === worker) giveUp(error.message.includes('memory') ? 'checking it takes too much memory' : error.message)
    })
    created.unref()
    return created
  }

  const watch = () => {
    if (timer !== null) clearTimeout(timer)
    timer = queue.length === 0 ? null : startTimer()
    if (queue.length === 0) worker?.unref()
    else worker?.ref()
  }

  /** Looks once more before it ends anything: when this thread was busy itself, the answer is waiting behind the timer. */
  const startTimer = (): NodeJS.Timeout => {
    const mine = setTimeout(() => setImmediate(() => mine === timer && timeOut()), ready ? patienceMs : START_MS)
    return mine
  }

  const timeOut = () => {
    if (!ready) return giveUp(`the validator did not start within ${START_MS / 1000} s`)
    const { tenant, schemas, question } = queue[0]!
    stopped.add(tenant, schemas, question.schema)
    giveUp(`checking took more than ${patienceMs / 1000} s: a pattern in the schema may backtrack for ever`)
  }

  /** The first question without an answer is the culprit; those behind it are asked again. */
  const giveUp = (reason: string) => {
    void worker?.terminate()
    worker = null
    loaded = null
    ready = false
    queue.shift()?.settle({ outcome: 'unusable', message: reason })
    const rest = queue
    queue = []
    send(rest)
  }

  const send = (pending: readonly Pending[]) => {
    const idle = queue.length === 0
    for (const group of bySchemas(pending.filter(mayBeAsked))) post(group)
    if (idle) watch() // a question that hangs gets no more time because others arrive
  }

  const mayBeAsked = (pending: Pending): boolean => {
    const { tenant, schemas, question } = pending
    if (!stopped.isSpent(tenant, schemas, question.schema)) return true
    pending.settle({ outcome: 'unusable', message: 'checking against this schema took too long and was stopped twice already' })
    return false
  }

  /** All in one message, which is quickest. When that cannot be copied to the worker, those that cannot be are found one by one. */
  const post = (group: readonly Pending[]) => {
    try {
      worker ??= start()
      load(worker, group[0]!.schemas)
      worker.postMessage({ questions: group.map(({ question }) => toMessage(question)) })
      queue.push(...group)
    } catch (error) {
      if (group.length > 1) for (const one of group) post([one])
      else group[0]!.settle({ outcome: 'unusable', message: uncopied(error) })
    }
  }

  const load = (to: Worker, schemas: Schemas) => {
    if (schemas === loaded) return
    to.postMessage({ schemas: [...schemas].map(([uri, file]) => [uri, file.schema]) })
    loaded = schemas
  }

  worker = start()

  const forTenant = (tenant: string): Pick<Validator, 'ask'> => ({
    ask(schemas, questions) {
      const pending: Pending[] = []
      const verdicts = questions.map((question): Verdict | Promise<Verdict> => {
        if (closed) return CLOSED
        const fault = faultOf(question.schema, schemas)
        if (fault !== null) return { outcome: 'unusable', message: fault }
        return new Promise(settle => pending.push({ tenant, schemas, question, settle }))
      })
      send(pending)
      return Promise.all(verdicts)
    },
  })

  return {
    ask: forTenant('').ask,
    forTenant,
    async close() {
      closed = true
      const ending = worker
      worker = null
      for (const { settle } of queue.splice(0)) settle(CLOSED)
      watch()
      await ending?.terminate()
    },
  }
}

const toMessage = (question: Question) => ({
  uri: question.schema,
  ...('instance' in question ? { instance: question.instance } : {}),
})

const uncopied = (error: unknown): string =>
  error instanceof RangeError ? 'it is nested too deep to be checked' : `it cannot be checked: ${(error as Error).message}`

function faultOf(uri: string, schemas: Schemas): string | null {
  const closure = closureOf(uri, schemas)
  return closure === null ? `there is no schema ${uri}` : (closure.faults[0]?.message ?? null)
}

function bySchemas(pending: readonly Pending[]): Pending[][] {
  const groups: Pending[][] = []
  for (const one of pending) {
    const last = groups.at(-1)
    if (last !== undefined && last[0]!.schemas === one.schemas) last.push(one)
    else groups.push([one])
  }
  return groups
}

const toVerdict = (answer: Answer): Verdict =>
  answer.outcome === 'invalid'
    ? { outcome: 'invalid', mismatches: answer.mismatches.map(({ path, message }) => ({ pointer: parsePointer(path), message })) }
    : answer
