// Stream files made from spec/record/README.md by hand, without our code: to judge what reads them.
import { createHash } from 'node:crypto'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type Event = Record<string, Json>
/** A stream file as lists of lines; what a case does not touch is written as it should be. */
export interface StreamFile {
  header: Record<string, Json>
  events: string[]
  checkpoints: string[]
  objects: string[]
}

export const TENANT = 'acme'
export const STREAM = 'run/42'

export const hex = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
export const digest = (bytes: string | Buffer) => `sha256:${hex(bytes)}`

export const eventOf = (seq: number, prev: string | null, payload: Json): Event => ({
  ...{ v: 1, tenant: TENANT, stream: STREAM, seq, type: 'run.stepTaken', at: '2026-03-01T10:00:00.000Z', actor: 'user:ann' },
  ...{ cause: seq === 0 ? null : 'request:7', prev, payload },
})

export function chain(payloads: readonly Json[], change: (event: Event) => Event = event => event) {
  const lines: string[] = []
  for (const payload of payloads) {
    const last = lines.at(-1)
    lines.push(JSON.stringify(change(eventOf(lines.length, last === undefined ? null : digest(last), payload))))
  }
  return lines
}

export const whole = (bytes: Buffer) => [JSON.stringify({ digest: digest(bytes), base64: bytes.toString('base64') })]
export const erased = (name: string) => [JSON.stringify({ digest: name, erased: true })]
export const pieces = (bytes: Buffer, size = 256) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => {
    const base64 = bytes.subarray(i * size, (i + 1) * size).toString('base64')
    return JSON.stringify({ digest: digest(bytes), base64, ...((i + 1) * size < bytes.length ? { more: true } : {}) })
  })
export const inOrder = (objects: readonly string[][]) => objects.toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1)).flat()

export const piece = (name: string, base64: string) => JSON.stringify({ digest: name, base64 })

export const linesOf = (file: StreamFile) => [JSON.stringify(file.header), ...file.events, ...file.checkpoints, ...file.objects]
export const textOf = (file: StreamFile) =>
  linesOf(file)
    .map(line => `${line}\n`)
    .join('')
