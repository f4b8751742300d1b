// Is an answer of the host what its description promises, and what OpenWOP's documents demand? Judged by ajv, not by our own code.
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { TestHost } from '../hosts/start-host.ts'

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface ResponseDescription {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>
}

interface Operation {
  readonly responses?: Readonly<Record<string, ResponseDescription>>
}

export interface GivenAnswer {
  readonly status: number
  readonly body: unknown
}

export interface AnswerCheck {
  /** The problems of an answer; empty when it is right, or nothing is promised. */
  problems(method: string, path: string, answer: GivenAnswer): readonly string[]
  /** Routes that promise nothing about what they answer when all is well. */
  readonly silent: readonly string[]
}

const FOLDER = 'schemas/openwop'
const OPENWOP = 'https://openwop.dev/spec/v1/'
const OURS = 'https://onbook.dev/schemas/openwop/'
const TEMPLATE = `${OPENWOP}prompt-template.schema.json`
const PAYLOADS = `${OPENWOP}run-event-payloads.schema.json#/$defs/`

/** Which of OpenWOP's documents an answer is. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'GET /.well-known/openwop': `${OPENWOP}capabilities.schema.json`,
  'GET /v1/prompts': `${OURS}prompt-list.schema.json`,
  'GET /v1/prompts/{templateId}': TEMPLATE,
  'POST /v1/prompts': TEMPLATE,
  'PUT /v1/prompts/{templateId}': TEMPLATE,
  'POST /v1/prompts:render': `${OURS}render-response.schema.json`,
  'POST /v1/host/sample/prompt/resolve': `${PAYLOADS}agentPromptResolved`,
  'POST /v1/host/sample/prompt/compose': `${PAYLOADS}promptComposed`,
}

/** By description: hosts of the same routes have the same, and compiling it takes longer than most tests. */
const checks = new Map<string, AnswerCheck>()

export function answerCheck(document: OpenApi): AnswerCheck {
  const text = JSON.stringify(document)
  const check = checks.get(text) ?? checkAgainst(document)
  checks.set(text, check)
  return check
}

function checkAgainst(document: OpenApi): AnswerCheck {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false })
  formats.default(ajv)
  for (const file of readdirSync(FOLDER)) ajv.addSchema(JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as AnySchema)
  ajv.addSchema(document as unknown as AnySchema, 'openapi')
  const patterns = Object.keys(document.paths).map(path => ({ path, pattern: patternOf(path) }))
  const compiled = new Map<string, ValidateFunction>()
  const against = (ref: string, body: unknown): readonly string[] => {
    const validate = compiled.get(ref) ?? ajv.compile({ $ref: ref })
    compiled.set(ref, validate)
    return validate(body) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message} (${ref})`)
  }

  return {
    problems(method, asked, { status, body }) {
      const pathname = asked.split('?')[0]!
      const path = patterns.find(({ pattern }) => pattern.test(pathname))?.path ?? pathname
      if (status >= 400) return against(`${OPENWOP}error-envelope.schema.json`, body)
      const promised = responseRef(document, path, method, status)
      const known = DOCUMENTS[`${method} ${path}`]
      const hasBody = body !== null && body !== undefined
      return [
        ...(promised === null || !hasBody ? [] : against(promised, body)),
        ...(known === undefined || !hasBody ? [] : against(known, body)),
        ...(path === '/v1/prompts:resolve' ? eventsOf(body).flatMap(event => against(`${PAYLOADS}agentPromptResolved`, event)) : []),
      ]
    },
    silent: Object.entries(document.paths)
      .flatMap(([path, operations]) => Object.keys(operations).map(method => ({ path, method: method.toUpperCase() })))
      .filter(({ path, method }) => !Object.entries(operationOf(document, path, method)?.responses ?? {}).some(isPromise))
      .map(({ path, method }) => `${method} ${path}`)
      .sort(),
  }
}

const eventsOf = (body: unknown): readonly unknown[] =>
  (body as { readonly resolutions: readonly { readonly event: unknown }[] }).resolutions.map(({ event }) => event)

/** Whether a response is a promise about success: its schema, or 204. */
const isPromise = ([status, { content = {} }]: [string, ResponseDescription]): boolean =>
  status === '204' || (status.startsWith('2') && Object.values(content).some(({ schema }) => schema !== undefined))

/** `/v1/prompts/{templateId}` as a pattern for its paths. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^}]*\}/g, '[^/]+')}$`)

const operationOf = ({ paths }: OpenApi, path: string, method: string): Operation | undefined => paths[path]?.[method.toLowerCase()]

/** Where the description has the schema of this answer; null when it has none. */
function responseRef(document: OpenApi, path: string, method: string, status: number): string | null {
  const responses = operationOf(document, path, method)?.responses ?? {}
  const found = [String(status), `${String(status)[0]}XX`, 'default'].find(key => key in responses)
  if (found === undefined || responses[found]?.content?.['application/json']?.schema === undefined) return null
  const steps = ['paths', path, method.toLowerCase(), 'responses', found, 'content', 'application/json', 'schema']
  return `openapi#/${steps.map(step => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`
}

/** A host's `ask` that fails when an answer is not what was promised. */
export async function checkedAsk({ ask }: Pick<TestHost, 'ask'>): Promise<TestHost['ask']> {
  const check = answerCheck((await ask('GET', '/v1/openapi.json')).body)
  return async (method, path, asking) => {
    const answer = await ask(method, path, asking)
    const problems = check.problems(method, path, answer)
    if (problems.length > 0) throw new Error(`${method} ${path} answered ${answer.status}: ${problems.join('; ')}`)
    return answer
  }
}
