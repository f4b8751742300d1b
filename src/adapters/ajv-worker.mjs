// Validates in a thread of its own, so that a schema that runs away can be stopped. Answers strictly in order: the first question
// without an answer is the one that hangs. Plain JavaScript because a worker is started by file name.
import { parentPort } from 'node:worker_threads'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

/** @type {Map<string, unknown>} */
let schemas = new Map()
/** @type {Ajv2020} */
let ajv
/** @type {Map<string, Function | string>} a compiled schema, or why there is none */
let compiled = new Map()

/** @param {readonly [string, unknown][]} list */
function load(list) {
  schemas = new Map(list)
  compiled = new Map()
  ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true, logger: false, addUsedSchema: false, validateSchema: false })
  formats.default(ajv)
  for (const [uri, schema] of schemas) {
    try {
      ajv.addSchema(schema, uri)
    } catch {
      // Said when somebody asks for it.
    }
  }
}

/** @param {string} uri @param {readonly string[]} closure */
function compile(uri, closure) {
  let known = compiled.get(uri)
  if (known === undefined) {
    try {
      known = closure.map(whyInvalid).find(reason => reason !== null) ?? ajv.getSchema(uri) ?? `there is no schema ${uri}`
    } catch (error) {
      known = error instanceof RangeError ? 'it refers to itself without end' : /** @type {Error} */ (error).message
    }
    compiled.set(uri, known)
  }
  return known
}

/** @param {string} uri @returns {string | null} */
function whyInvalid(uri) {
  const schema = /** @type {{ $schema?: string }} */ (schemas.get(uri))
  const draft = schema?.$schema?.replace(/#$/, '')
  if (draft !== undefined && draft !== DRAFT) return `${uri} declares ${draft}: only ${DRAFT} is read`
  if (ajv.validateSchema(/** @type {object} */ ({ ...schema, $schema: DRAFT }))) return null
  const [error] = ajv.errors ?? []
  return `${uri} is not a valid JSON Schema: ${error?.instancePath || 'it'} ${error?.message}`
}

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

/** @param {{ uri: string, closure: string[], instance?: unknown }} question */
function answer({ uri, closure, ...rest }) {
  const check = compile(uri, closure)
  if (typeof check === 'string') return { outcome: 'unusable', message: check }
  if (!('instance' in rest)) return { outcome: 'valid' }
  try {
    if (check(rest.instance)) return { outcome: 'valid' }
  } catch (error) {
    return {
      outcome: 'unusable',
      message: error instanceof RangeError ? 'it refers to itself without end' : /** @type {Error} */ (error).message,
    }
  }
  const errors = /** @type {{ errors?: import('ajv').ErrorObject[] }} */ (/** @type {unknown} */ (check)).errors ?? []
  return { outcome: 'invalid', mismatches: errors.slice(0, 100).map(toMismatch) }
}

parentPort?.on('message', message => {
  if (message.schemas !== undefined) load(message.schemas)
  else for (const question of message.questions) parentPort?.postMessage(answer(question))
})
