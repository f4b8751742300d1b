// JSON Schemas are foreign code: ajv runs in a worker that is ended when a question takes too long, and started anew for the next.
import { Worker } from 'node:worker_threads'
import { parsePointer } from '../core/schema/pointer.ts'
import { closureOf, type Schemas } from '../core/schema/schemas.ts'
import type { Question, Verdict } from '../core/schema/verdict.ts'
import type { Validator } from '../ports.ts'

export interface WorkerValidatorOptions {
  /** How long one question may take. */
  readonly patienceMs?: number
  readonly maxMemoryMb?: number
}

interface Pending {
  readonly schemas: Schemas
  readonly question: Question
  readonly settle: (verdict: Verdict) => void
}

type Answer = Exclude<Verdict, { outcome: 'invalid' }> | { outcome: 'invalid'; mismatches: readonly { path: string; message: string }[] }

/** Until a fresh worker has answered once: it has ajv to load first. */
const START_MS = 10_000

/** Starts its worker at once: loading ajv takes longer than reading the first file. */
export function workerValidator({ patienceMs = 2_000, maxMemoryMb = 512 }: WorkerValidatorOptions = {}): Validator {
  let worker: Worker | null = null
  let loaded: Schemas | null = null
  let timer: NodeJS.Timeout | null = null
  let queue: Pending[] = []
  /** Whether the present worker has shown that it is up. */
  let answered = false

  const start = (): Worker => {
    const created = new Worker(new URL('./ajv-worker.mjs', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb } })
    created.on('message', (answer: Answer) => {
      if (created !== worker) return
      answered = true
      queue.shift()?.settle(toVerdict(answer))
      watch(patienceMs)
    })
    created.on('error', error => {
      if (created === worker) giveUp(error.message.includes('memory') ? 'checking it takes too much memory' : error.message)
    })
    created.unref()
    return created
  }

  const watch = (patience: number) => {
    if (timer !== null) clearTimeout(timer)
    timer =
      queue.length === 0
        ? null
        : setTimeout(
            () => giveUp(`checking took more than ${patienceMs / 1000} s: a pattern in the schema may backtrack for ever`),
            patience,
          )
    if (queue.length === 0) worker?.unref()
    else worker?.ref()
  }

  /** The first question without an answer is the culprit; those behind it are asked again. */
  const giveUp = (reason: string) => {
    void worker?.terminate()
    worker = null
    loaded = null
    answered = false
    queue.shift()?.settle({ outcome: 'unusable', message: reason })
    const rest = queue
    queue = []
    send(rest)
  }

  const send = (pending: readonly Pending[]) => {
    const [first] = pending
    if (first === undefined) return watch(patienceMs)
    const idle = queue.length === 0
    worker ??= start()
    queue.push(...pending)
    for (const group of bySchemas(pending)) {
      const { schemas } = group[0]!
      if (schemas !== loaded) worker.postMessage({ schemas: [...schemas].map(([uri, file]) => [uri, file.schema]) })
      loaded = schemas
      worker.postMessage({
        questions: group.map(({ question }) => ({
          uri: question.schema,
          ...('instance' in question ? { instance: question.instance } : {}),
        })),
      })
    }
    if (idle) watch(answered ? patienceMs : START_MS) // a question that hangs gets no more time because others arrive
  }

  worker = start()

  return {
    ask(schemas, questions) {
      const pending: Pending[] = []
      const verdicts = questions.map((question): Verdict | Promise<Verdict> => {
        const fault = faultOf(question.schema, schemas)
        if (fault !== null) return { outcome: 'unusable', message: fault }
        return new Promise(settle => pending.push({ schemas, question, settle }))
      })
      send(pending)
      return Promise.all(verdicts)
    },
    async close() {
      if (timer !== null) clearTimeout(timer)
      await worker?.terminate()
      worker = null
    },
  }
}

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
