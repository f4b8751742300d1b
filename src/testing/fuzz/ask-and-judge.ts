// One request sent, and its answer held against what every answer must be: in time, never a 5xx, flat where it refuses, as described.
import { Agent, request as ask } from 'node:http'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import { FAULTS } from '../../errors.ts'
import type { TestHost } from '../hosts/start-host.ts'
import { type AnswerCheck, answerCheck } from '../oracles/check-answer.ts'
import { type FuzzRequest, NOTHING } from './any-request.ts'
import type { HostRoute } from './host-routes.ts'

const LIMIT_MS = 10_000
const agent = new Agent({ keepAlive: true, maxSockets: 4 })

export interface Received {
  readonly status: number
  readonly type: string
  readonly text: string
}

export function send(host: TestHost, { method, path, headers, body }: FuzzRequest, key: string | null): Promise<Received> {
  const { hostname, port } = new URL(host.url)
  const credentials = key === null ? {} : { authorization: `Bearer ${key}` }
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const asked = ask({ agent, hostname, port, method, path, headers: { ...credentials, ...length, ...headers } }, answer => {
      const received: Buffer[] = []
      const type = String(answer.headers['content-type'] ?? '')
      const finish = () => resolve({ status: answer.statusCode ?? 0, type, text: Buffer.concat(received).toString() })
      answer.on('data', data => received.push(data))
      answer.on('end', finish)
      answer.on('error', reject)
      if (type.startsWith('text/event-stream')) {
        finish()
        asked.destroy()
      }
    })
    const limit = setTimeout(() => asked.destroy(new Error(`no answer in ${LIMIT_MS} ms`)), LIMIT_MS)
    asked.on('close', () => clearTimeout(limit))
    asked.on('error', reject)
    asked.end(body ?? undefined)
  })
}

/** The problems of any answer, whatever the route. */
export function answerProblems({ status, type, text }: Received, method: string, path: string, check: AnswerCheck): readonly string[] {
  if (status >= 500 && status !== 501) return [`it answered ${status}: ${text.slice(0, 300)}`]
  if (/node_modules|\.ts:\d|\n\s+at /.test(text) && status >= 400) return ['it shows its insides']
  if (method === 'HEAD' || type.startsWith('text/event-stream')) return []
  if (status >= 400 && !type.startsWith('application/json')) return [`it refuses in ${type || 'no type'}`]
  if (!type.startsWith('application/json')) return []
  const body: unknown = JSON.parse(text)
  const code = (body as { error?: string }).error
  const unknown = status >= 400 && !Object.hasOwn(FAULTS, String(code)) ? [`${code} is not documented`] : []
  return [...check.problems(method, path, { status, body }), ...unknown]
}

/** Throws when anything is wrong. Gives the status. */
export type Judge = (request: FuzzRequest) => Promise<number>

const READS = /^(GET|HEAD|OPTIONS) |^POST \/v1\/(prompts::|host\/sample\/)/

/** Reads the description of the host once, for all routes. */
export async function judgesOf(host: TestHost, key: string): Promise<(route: HostRoute) => Judge> {
  const check = answerCheck((await host.ask('GET', '/v1/openapi.json')).body)
  return route => judgeOf(host, route, key, check)
}

function judgeOf(host: TestHost, route: HostRoute, key: string, check: AnswerCheck): Judge {
  const admits = bodyValidator(route)
  const isWrite = !READS.test(`${route.method} ${route.url}`)

  return async request => {
    const before = await eventCount(host)
    const received = await send(host, request, key)
    const { status } = received
    const problems = [...answerProblems(received, request.method, request.path, check)]
    if (request.value !== undefined && status < 300 && !admits(request.value)) problems.push('its schema does not admit that body')
    const mayBeMissing = request.body?.length === 0 && admits(null)
    if (request.hopeless && status < 400 && !mayBeMissing) problems.push('nobody may take that body')
    if (request.done === NOTHING && isSchemaRefusal(received)) problems.push('its schema admits what it refuses')
    const written = (await eventCount(host)) - before
    if (written !== 0 && (!isWrite || status >= 400)) problems.push(`it answered ${status} and wrote ${written} events`)
    if (problems.length > 0) throw new Error(`${shown(request)}\n${status} ${received.text.slice(0, 500)}\n${problems.join('\n')}`)
    return status
  }
}

/** A workspace is a field beside the template, not in it: the host removes it before validation. */
function bodyValidator({ body = {} }: HostRoute): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  const validate: ValidateFunction = ajv.compile(body)
  return value => validate(isObject(value as Json) ? withoutWorkspace(value as JsonObject) : value)
}

/** A refusal that names a place is the schema's. */
const isSchemaRefusal = ({ status, text }: Received): boolean => status === 400 && /"details":\{"place":/.test(text)

const withoutWorkspace = ({ workspaceId: _, ...rest }: JsonObject): JsonObject => rest

/** Every event of the tenant that asks. Runs and sessions go on by themselves, and have refusals on record: their own tests hold them to that. */
async function eventCount(host: TestHost): Promise<number> {
  let events = 0
  for await (const { stream, seq } of host.store.streams('acme')) if (!/^(?:run|session)\//.test(stream)) events += seq + 1
  return events
}

export const shown = ({ method, path, headers, body, done }: FuzzRequest): string =>
  `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 200)}\n${String(body ?? '').slice(0, 500)}\n(done to it: ${done})`
