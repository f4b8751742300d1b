// Requests to one route: right by its schema, or with something done to them.
import fc from 'fast-check'
import type { Json } from '../../core/digest/digest.ts'
import { damagedText, damagedValue, textOf } from './against-schema.ts'
import { fromSchema, type Hints } from './from-schema.ts'
import { type HostRoute, paramNames, pathOf, type Schema } from './host-routes.ts'

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  /** The value of the body; undefined without a body, or when its JSON is damaged. */
  readonly value?: Json
  readonly done: string
  /** Must be refused, whatever the route. */
  readonly hopeless?: boolean
}

/** Done to a request that is right. */
export const NOTHING = 'nothing'

const TRICKS = [
  '..',
  '%2e%2e',
  '%2e%2e%2f',
  '%00',
  'a%2fb',
  ';x=1',
  '%',
  '%zz',
  '%ff',
  '__proto__',
  'constructor',
  '%C3%A4',
  'A',
  '-',
  '.',
  '*',
  'x'.repeat(129),
  'x'.repeat(3_000),
  "'--",
  '%EF%BB%BF',
]
const QUERIES = [
  'workspaceId=desk',
  'workspaceId=a&workspaceId=b',
  '__proto__=1',
  'limit=0',
  'limit=1e2',
  'limit=',
  'limit=1&limit=2',
  'cursor=',
  `cursor=${Buffer.from('1:known').toString('base64url')}`,
  `cursor=${Buffer.from('{"offset":10}').toString('base64url')}`,
  `cursor=${Buffer.from('1:known:onbook:more').toString('base64url')}`,
  `cursor=${Buffer.from('2:known:onbook').toString('base64url')}`,
  'cursor=%00',
  'version=latest',
  'kind=SYSTEM',
  'tag=',
  'unknown=1',
  '%',
  '&&&',
  '=',
  `a=${'x'.repeat(4_000)}`,
]
const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'application/json, text/plain' },
  { 'content-type': 'application/JSON' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'br, gzip' },
  { 'idempotency-key': 'x'.repeat(300) },
  { 'idempotency-key': ' ' },
  { 'idempotency-key': 'again' },
  { 'if-match': '*' },
  { 'if-match': '"' },
  { 'if-match': 'W/"a", "b"' },
  { 'if-none-match': '*' },
  { 'if-none-match': ','.repeat(2_000) },
  { accept: 'text/html' },
  { 'accept-encoding': 'gzip' },
  { 'last-event-id': '-1' },
  { 'last-event-id': 'x' },
  { 'x-forwarded-host': 'elsewhere.example' },
  { 'x-http-method-override': 'DELETE' },
]

/** The rest of a path keeps its slashes. */
const encoded = (value: string, name: string): string =>
  name === '*' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value)

const anyParams = ({ url, params }: HostRoute, hints: Hints): fc.Arbitrary<Readonly<Record<string, string>>> => {
  const properties = (params?.properties ?? {}) as Readonly<Record<string, Schema>>
  return fc.record(
    Object.fromEntries(
      paramNames(url).map(name => [
        name,
        fromSchema(properties[name] ?? { type: 'string' }, hints, name).map(value => encoded(String(value), name)),
      ]),
    ),
  )
}

const printedQuery = (query: Json): string =>
  Object.entries(query as Record<string, Json>)
    .flatMap(([name, value]) => [value].flat().map(one => `${encodeURIComponent(name)}=${encodeURIComponent(String(one).toWellFormed())}`))
    .join('&')

/** A request that fits its schema. */
export function rightRequest(route: HostRoute, hints: Hints): fc.Arbitrary<FuzzRequest> {
  const anyQuery = route.querystring === undefined ? fc.constant('') : fromSchema(route.querystring, hints).map(printedQuery)
  const anyBody: fc.Arbitrary<Json | undefined> = route.body === undefined ? fc.constant(undefined) : fromSchema(route.body, hints)
  return fc.tuple(anyParams(route, hints), anyQuery, anyBody).map(([params, query, value]) => {
    const path = `${pathOf(route.url, params)}${query === '' ? '' : `?${query}`}`
    if (value === undefined) return { method: route.method, path, headers: {}, body: null, done: NOTHING }
    const headers = { 'content-type': 'application/json' }
    return { method: route.method, path, headers, body: JSON.stringify(value), value, done: NOTHING }
  })
}

/** The same with one thing wrong, odd or hostile about it. */
export const wrongRequest = (route: HostRoute, hints: Hints): fc.Arbitrary<FuzzRequest> =>
  rightRequest(route, hints).chain(right => {
    const { value, path, headers } = right
    const [bare] = path.split('?')
    const damages: fc.Arbitrary<FuzzRequest>[] = [
      fc.constantFrom(...QUERIES).map(query => ({ ...right, path: `${bare}?${query}`, done: `query ${query}` })),
      fc.constantFrom(...ODD_HEADERS).map(odd => ({ ...right, headers: { ...headers, ...odd }, done: `headers ${JSON.stringify(odd)}` })),
    ]
    if (paramNames(route.url).length > 0)
      damages.push(
        fc.constantFrom(...TRICKS).map(trick => ({
          ...right,
          path: pathOf(route.url, Object.fromEntries(paramNames(route.url).map(name => [name, trick]))),
          done: `path ${trick}`,
        })),
      )
    if (value === undefined) return fc.oneof(...damages)
    const ofValue = damagedValue(value).map(damaged => ({ ...right, body: textOf(damaged), value: damaged, done: 'its value' }))
    const { value: _, ...rest } = right
    const ofText = damagedText(JSON.stringify(value)).map((damaged): FuzzRequest => ({ ...rest, ...damaged }))
    return fc.oneof({ weight: 3, arbitrary: ofValue }, { weight: 2, arbitrary: ofText }, ...damages)
  })
