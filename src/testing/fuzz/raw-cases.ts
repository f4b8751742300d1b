// Malformed requests whose fault lies before the body. Each is sent as bytes; most are refused, some are merely odd.
import { gzipSync } from 'node:zlib'
import type { Step } from './raw-http.ts'

export interface RawCase {
  readonly name: string
  readonly steps: readonly Step[]
  /** The status of the first answer that is not a 1xx; several where the framework may choose, none where it may hang up. */
  readonly status: readonly number[]
}

const BODY = '{"ref":"prompt:known@1.0.0","variables":{"topic":"x"}}'

/** @param host its name with port; @param key of a principal with every scope */
export function rawCases(host: string, key: string): readonly RawCase[] {
  const auth = `authorization: Bearer ${key}`
  const named = `host: ${host}`
  const say = (line: string, headers: readonly string[], body = ''): string => `${[line, ...headers].join('\r\n')}\r\n\r\n${body}`
  const ask = (line: string, ...headers: readonly string[]): string =>
    say(`${line} HTTP/1.1`, [named, auth, 'connection: close', ...headers])
  const post = (headers: readonly string[], body: string): string =>
    say('POST /v1/prompts:render HTTP/1.1', [named, auth, 'connection: close', ...headers], body)
  const json = 'content-type: application/json'
  const long = (n: number) => `content-length: ${n}`
  const get = (path: string, ...headers: readonly string[]) => ask(`GET ${path}`, ...headers)
  const one = (name: string, text: string, ...status: readonly number[]): RawCase => ({ name, steps: [text], status })

  return [
    // Paths
    one('dots in a path', get('/v1/prompts/../prompts/known'), 404),
    one('a path of dots', get('/v1/prompts/..'), 400),
    one('encoded dots', get('/v1/prompts/%2e%2e'), 400),
    one('an encoded slash', get('/v1/prompts/known%2fhistory'), 400),
    one('a doubly encoded slash', get('/v1/prompts/%252e%252e%252f'), 400),
    one('an encoded NUL', get('/v1/prompts/known%00'), 400),
    one('a path that is no UTF-8', get('/v1/prompts/%ff%fe'), 400),
    one('an escape that is none', get('/v1/prompts/%zz'), 400),
    one('half an escape', get('/v1/prompts/%'), 400),
    one('double slashes', get('//v1//prompts'), 404),
    one('a slash at the end', get('/v1/prompts/'), 400, 404),
    one('a path parameter', get('/v1/prompts/known;admin=1'), 400),
    one('a backslash', get('/v1/prompts\\known'), 404),
    one('other case', get('/V1/PROMPTS'), 404),
    one('a path of 8000 characters', get(`/v1/prompts/${'a'.repeat(8_000)}`), 400, 404, 414),
    one('a path beyond the limit', get(`/${'a'.repeat(100_000)}`), 414, 431),
    one('a query of 8000 characters', get(`/v1/prompts?cursor=${'a'.repeat(8_000)}`), 400),
    one('a fragment', get('/v1/prompts#x'), 200, 400, 404),
    one('a query without a name', get('/v1/prompts?=1'), 400),
    one('a prototype in the query', get('/v1/prompts?__proto__=1&constructor=2'), 400),
    one('brackets in the query', get('/v1/prompts?tag[]=a&tag[__proto__]=b'), 400),
    one('a query that is no UTF-8', get('/v1/prompts?tag=%ff'), 200, 400),
    one('a NUL in the query', get('/v1/prompts?modelClass=%00'), 200, 400),
    one('a bare question mark', get('/v1/prompts?'), 200),
    one('an absolute URL', get(`http://${host}/v1/prompts`), 200, 400, 404),
    one('an absolute URL of elsewhere', get('http://elsewhere.example/v1/prompts'), 400, 404, 421),
    one('only an asterisk', ask('OPTIONS *'), 400, 404, 421),
    // Methods and versions
    one('a method nobody knows', ask('BREW /v1/prompts'), 400),
    one('a method in small letters', ask('get /v1/prompts'), 400),
    one('TRACE', ask('TRACE /v1/prompts'), 400, 404, 405),
    one('PATCH', ask('PATCH /v1/prompts/known'), 404, 405),
    one('OPTIONS', ask('OPTIONS /v1/prompts'), 404, 405),
    one('PROPFIND', ask('PROPFIND /v1/prompts'), 400, 404, 405),
    one('CONNECT', ask(`CONNECT ${host}`)),
    one('an upgrade', get('/v1/prompts', 'connection: upgrade', 'upgrade: websocket'), 200, 400, 426),
    one('HTTP/1.0', say('GET /v1/prompts HTTP/1.0', [named, auth]), 200),
    one('HTTP/2.0 in words', say('GET /v1/prompts HTTP/2.0', [named, auth, 'connection: close']), 200, 400, 505),
    one('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 505),
    one('no version', `GET /v1/prompts\r\n${named}\r\n\r\n`, 400, 401),
    one('the greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400),
    one('empty lines first', `\r\n\r\n${get('/v1/prompts')}`, 200, 400),
    // Hosts and headers
    one('no Host', say('GET /v1/prompts HTTP/1.1', [auth, 'connection: close']), 400, 421),
    one('two Hosts', get('/v1/prompts', 'host: elsewhere.example'), 400, 421),
    one('an empty Host', say('GET /v1/prompts HTTP/1.1', ['host:', auth, 'connection: close']), 400, 421),
    one('another Host', say('GET /v1/prompts HTTP/1.1', ['host: elsewhere.example', auth, 'connection: close']), 421),
    one('another Origin', get('/v1/prompts', 'origin: https://elsewhere.example'), 403),
    one('an Origin of null', get('/v1/prompts', 'origin: null'), 403),
    one('500 headers', get('/v1/prompts', ...Array.from({ length: 500 }, (_, n) => `x-${n}: y`)), 200, 431),
    one('headers of 40 KB', get('/v1/prompts', ...Array.from({ length: 400 }, (_, n) => `x-${n}: ${'y'.repeat(100)}`)), 431),
    one('one header of 100 KB', get('/v1/prompts', `x: ${'y'.repeat(100_000)}`), 431),
    one('a header without a colon', get('/v1/prompts', 'no colon here'), 400),
    one('a blank before the colon', get('/v1/prompts', 'x-odd : y'), 400),
    one('a header that goes on', get('/v1/prompts', 'x-odd: a\r\n b'), 200, 400),
    one('a NUL in a header', get('/v1/prompts', 'x-odd: a\u0000b'), 400),
    one('a line feed alone', get('/v1/prompts').replaceAll('\r\n', '\n'), 200, 400),
    one('two keys', get('/v1/prompts', `authorization: Bearer ${key}x`), 200, 400, 401),
    one(
      'a key of 100 KB',
      say('GET /v1/prompts HTTP/1.1', [named, `authorization: Bearer ${'x'.repeat(12_000)}`, 'connection: close']),
      401,
    ),
    one('a key in Basic', say('GET /v1/prompts HTTP/1.1', [named, 'authorization: Basic eDp5', 'connection: close']), 401),
    one('an If-None-Match of tags', get('/v1/prompts/known', `if-none-match: ${'"a",'.repeat(1_500)}"b"`), 200),
    one('a range', get('/v1/prompts/known', 'range: bytes=0-3'), 200),
    // Bodies
    one('a body that fits', post([json, long(BODY.length)], BODY), 200),
    one('no length', post([json], ''), 400),
    one('a body that ends early', post([json, long(BODY.length + 10)], BODY), 400),
    one('a body that goes on', post([json, long(BODY.length)], `${BODY}${BODY}`), 200),
    one('a length that is none', post([json, 'content-length: many'], BODY), 400),
    one('a negative length', post([json, 'content-length: -1'], BODY), 400),
    one('a length with a sign', post([json, `content-length: +${BODY.length}`], BODY), 400),
    one('two lengths', post([json, long(BODY.length), long(3)], BODY), 400),
    one('a length beyond all', post([json, 'content-length: 99999999999999999999'], BODY), 400, 413),
    one('a length beyond the limit', post([json, long(2_000_000_000)], BODY), 413),
    one('length and chunks', post([json, long(BODY.length), 'transfer-encoding: chunked'], `0\r\n\r\n`), 400),
    one('chunks', post([json, 'transfer-encoding: chunked'], chunked(BODY)), 200),
    one(
      'chunks with trailers',
      post([json, 'transfer-encoding: chunked', 'trailer: x-late'], chunked(BODY, 'x-late: 1\r\nauthorization: Bearer x\r\n')),
      200,
    ),
    one('chunks with extensions', post([json, 'transfer-encoding: chunked'], chunked(BODY).replace('\r\n', ';a=b\r\n')), 200, 400),
    one('a chunk whose length is none', post([json, 'transfer-encoding: chunked'], `zz\r\n${BODY}\r\n0\r\n\r\n`), 400),
    one('a chunk beyond all', post([json, 'transfer-encoding: chunked'], `ffffffffffffffff\r\n${BODY}`), 400, 413),
    one('no last chunk', post([json, 'transfer-encoding: chunked'], `${BODY.length.toString(16)}\r\n${BODY}\r\n`), 400),
    one('an encoding nobody knows', post([json, 'transfer-encoding: cabbage'], BODY), 400, 501),
    one('two megabytes in chunks', post([json, 'transfer-encoding: chunked'], chunked(JSON.stringify('x'.repeat(2_000_000)))), 413),
    { name: 'gzip', steps: [post([json, 'content-encoding: gzip', long(gzipSync(BODY).length)], ''), gzipSync(BODY)], status: [400, 415] },
    one('no content type', post([long(BODY.length)], BODY), 415),
    one('two content types', post([json, 'content-type: text/plain', long(BODY.length)], BODY), 200, 400, 415),
    one('an empty content type', post(['content-type:', long(BODY.length)], BODY), 415),
    one('a content type with a charset', post([`${json}; charset=utf-8`, long(BODY.length)], BODY), 200),
    one('another charset', post([`${json}; charset=utf-16`, long(BODY.length)], BODY), 200, 400, 415),
    one('a form', post(['content-type: application/x-www-form-urlencoded', long(3)], 'a=b'), 415),
    one('several parts', post(['content-type: multipart/form-data; boundary=x', long(5)], '--x--'), 415),
    one('JSON of another kind', post(['content-type: application/merge-patch+json', long(BODY.length)], BODY), 415),
    one('a body on GET', say('GET /v1/prompts HTTP/1.1', [named, auth, 'connection: close', json, long(2)], '{}'), 200, 400),
    one(
      'a body that is no JSON on DELETE',
      say('DELETE /v1/prompts/nobody HTTP/1.1', [named, auth, 'connection: close', json, long(1)], '{'),
      400,
      404,
    ),
    // Manners
    { name: 'Expect: 100-continue', steps: [post([json, long(BODY.length), 'expect: 100-continue'], ''), 50, BODY], status: [200] },
    one('an expectation nobody knows', post([json, long(BODY.length), 'expect: miracles'], BODY), 200, 417),
    {
      name: 'a body a byte at a time',
      steps: [post([json, long(BODY.length)], ''), ...[...BODY].flatMap(byte => [byte, 1])],
      status: [200],
    },
    { name: 'headers a byte at a time', steps: [...get('/healthz')].flatMap(byte => [byte, 1]), status: [200] },
    {
      name: 'three requests at once',
      steps: [[1, 2].map(() => say('GET /healthz HTTP/1.1', [named])).join('') + get('/v1/prompts')],
      status: [200],
    },
    { name: 'a bad request behind a good one', steps: [`${say('GET /healthz HTTP/1.1', [named])}nonsense\r\n\r\n`], status: [200] },
    { name: 'garbage', steps: [Buffer.from(Array.from({ length: 2_000 }, (_, n) => (n * 7_919) % 256))], status: [400] },
    { name: 'nothing at all', steps: [''], status: [] },
    { name: 'half a request line', steps: ['GET /v1/pro'], status: [400] },
  ]
}

const chunked = (body: string, trailers = ''): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n${trailers}\r\n`
