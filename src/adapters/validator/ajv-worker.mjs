// Validates in a thread of its own, so that a schema that runs away can be stopped. Answers strictly in order: the first question
// without an answer is the one that hangs. Plain JavaScript because a worker is started by file name.
import { parentPort } from 'node:worker_threads'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

/** Whether a schema is one itself was settled in core: compiling the official meta-schema would cost more than all the rest. */
const OPTIONS = {
  allErrors: true,
  strict: false,
  logger: /** @type {const} */ (false),
  validateSchema: false,
  addUsedSchema: false,
  ownProperties: true,
  multipleOfPrecision: 10,
}

/** @type {Ajv2020} */
let ajv
/** @type {Map<string, Function | string>} a compiled schema, or why there is none */
let compiled = new Map()

/** @param {readonly [string, import('ajv').AnySchema][]} list */
function load(list) {
  compiled = new Map()
  ajv = new Ajv2020(OPTIONS)
  formats.default(ajv)
  for (const [uri, schema] of list) {
    try {
      ajv.addSchema(schema, uri)
    } catch {
      // Said when somebody asks for it.
    }
  }
}

/** @param {string} uri */
function compile(uri) {
  let known = compiled.get(uri)
  if (known === undefined) {
    try {
      known = ajv.getSchema(uri) ?? `there is no schema ${uri}`
    } catch (error) {
      known = reasonOf(error)
    }
    compiled.set(uri, known)
  }
  return known
}

/** @param {unknown} error */
const reasonOf = error => (error instanceof RangeError ? 'it refers to itself without end' : /** @type {Error} */ (error).message)

/** @param {import('ajv').ErrorObject} error */
function toMismatch({ instancePath, keyword, params, message }) {
  const detail =
    keyword === 'additionalProperties' || keyword === 'unevaluatedProperties'
      ? `: "${params.additionalProperty ?? params.unevaluatedProperty}"`
      : keyword === 'enum'
        ? `: ${params.allowedValues.map(/** @param {unknown} value */ value => JSON.stringify(value)).join(', ')}`
        : keyword === 'const'
          ? `: ${JSON.stringify(params.allowedValue)}`
          : ''
  return { path: instancePath, message: `${message ?? keyword}${detail}` }
}

/** @param {{ uri: string, instance?: unknown }} question */
function answer({ uri, ...rest }) {
  const check = compile(uri)
  if (typeof check === 'string') return { outcome: 'unusable', message: check }
  if (!('instance' in rest)) return { outcome: 'valid' }
  try {
    if (check(rest.instance)) return { outcome: 'valid' }
  } catch (error) {
    return { outcome: 'unusable', message: reasonOf(error) }
  }
  const errors = /** @type {{ errors?: import('ajv').ErrorObject[] }} */ (/** @type {unknown} */ (check)).errors ?? []
  return { outcome: 'invalid', mismatches: errors.slice(0, 100).map(toMismatch) }
}

parentPort?.on('message', message => {
  if (message.schemas !== undefined) load(message.schemas)
  else for (const question of message.questions) parentPort?.postMessage(answer(question))
})

// Loading ajv is no question's fault: patience is counted from here.
parentPort?.postMessage({ ready: true })
