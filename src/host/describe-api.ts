// Completes the OpenAPI document of the host: the schemas of the routes, and the headers that routes read.
interface Parameter {
  readonly in: string
  readonly name: string
  readonly [more: string]: unknown
}
interface Operation {
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly [more: string]: unknown
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const answered = (operationId: string, description: string) => ({
  operationId,
  security: [],
  responses: { 200: { description, content: { 'application/json': { schema: { type: 'object' } } } } },
})

/** Routes without a key. The framework's description does not include them. */
const OPEN_PATHS: Paths = {
  '/.well-known/openwop': { get: answered('getCapabilities', 'What the host can do, as OpenWOP says it.') },
  '/v1/openapi.json': { get: answered('getOpenApiSpec', 'This document.') },
  '/healthz': { get: answered('getHealth', 'The process answers.') },
  '/readyz': { get: answered('getReadiness', 'The host can work.') },
}

const header = (name: string, description: string, schema: object = { type: 'string' }): Parameter => ({
  in: 'header',
  name,
  required: false,
  description,
  schema,
})
const IDEMPOTENCY_KEY = header('Idempotency-Key', 'The same request with the same key is answered as the first one was.', {
  type: 'string',
  minLength: 1,
  maxLength: 255,
})
const IF_MATCH = header('If-Match', 'Only when the entity tag is this one.')
const IF_NONE_MATCH = header('If-None-Match', 'Only when the entity tag is another one; `*`: only when nothing is there.')
const LAST_EVENT_ID = header('Last-Event-ID', 'Events after this id.')

/** Writes without an idempotency key: they change nothing, are idempotent themselves, or sign in. */
const NOT_KEPT =
  /^(?:\/v1\/workspaces\/\{[^/]*\}\/checks|\/v1\/(?:prompts:(?:render|resolve)|packs:(?:publish|activate|retire)|policy:explain|tools:(?:adopt|drop)|sign-in|login-tokens|objects|runs:bulk-cancel)|\/v1\/host\/sample\/.*)$/
const TAGGED = /^\/v1\/(?:workflows|agents|prompts)\/\{[^/]*\}$|^\/v1\/workspaces\/\{[^/]*\}\/files\//

function headersOf(method: string, path: string): readonly Parameter[] {
  const isWrite = method !== 'get'
  return [
    ...(isWrite && !NOT_KEPT.test(path) ? [IDEMPOTENCY_KEY] : []),
    ...(TAGGED.test(path) && isWrite ? [IF_MATCH] : []),
    ...(TAGGED.test(path) ? [IF_NONE_MATCH] : []),
    ...(path.endsWith('/events') ? [LAST_EVENT_ID] : []),
  ]
}

/** @param document as the framework generated it from the route schemas */
export function describeApi<D extends object>(document: D): D {
  const { paths } = document as unknown as { readonly paths: Paths }
  const described = Object.entries({ ...OPEN_PATHS, ...paths }).map(([given, methods]) => {
    const path = given.replace('{*}', '{path}')
    const operations = Object.entries(methods).map(([method, operation]) => {
      const parameters = (operation.parameters ?? []).map(one => (one.in === 'path' && one.name === '*' ? { ...one, name: 'path' } : one))
      const all = [...parameters, ...headersOf(method, path)]
      return [method, { ...operation, ...(all.length === 0 ? {} : { parameters: all }) }] as const
    })
    return [path, Object.fromEntries(operations)] as const
  })
  return { ...document, paths: Object.fromEntries(described) }
}
