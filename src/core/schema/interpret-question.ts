// Answers questions by interpretation, in this thread: for editors, and wherever there is no worker.
import { type Check, interpretSchema } from './interpret.ts'
import { closureOf, type Schemas } from './schemas.ts'
import type { Question, Verdict } from './verdict.ts'

/** Each schema is made ready once, however many examples it judges. */
const prepared = new WeakMap<Schemas, Map<string, Check | string>>()

export function interpretQuestion({ schema: uri, instance }: Question, schemas: Schemas): Verdict {
  const cache = prepared.get(schemas) ?? new Map<string, Check | string>()
  prepared.set(schemas, cache)
  const check = cache.get(uri) ?? prepare(uri, schemas)
  cache.set(uri, check)
  if (typeof check === 'string') return { outcome: 'unusable', message: check }
  if (instance === undefined) return { outcome: 'valid' }
  try {
    const mismatches = check(instance)
    return mismatches.length === 0 ? { outcome: 'valid' } : { outcome: 'invalid', mismatches }
  } catch (error) {
    return { outcome: 'unusable', message: reasonOf(error) }
  }
}

/** Or why it cannot be used. */
function prepare(uri: string, schemas: Schemas): Check | string {
  const closure = closureOf(uri, schemas)
  if (closure === null) return `there is no schema ${uri}`
  const [fault] = closure.faults
  if (fault !== undefined) return fault.message
  try {
    return interpretSchema(
      schemas.get(uri)!.schema,
      closure.uris.filter(other => other !== uri).map(other => schemas.get(other)!.schema),
    )
  } catch (error) {
    return reasonOf(error)
  }
}

const reasonOf = (error: unknown): string => (error instanceof RangeError ? 'it refers to itself without end' : (error as Error).message)
