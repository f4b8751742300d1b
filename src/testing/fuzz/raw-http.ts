// HTTP as bytes on a socket, for what no client would say. Reads answers itself and never waits for ever.
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** Names in lower case; of equals the last. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Exchange {
  readonly answers: readonly RawAnswer[]
  /** Whether the host closed before time was up. */
  readonly closed: boolean
  /** The bytes after the last complete answer. */
  readonly rest: string
}

/** Bytes to send, or milliseconds to wait. */
export type Step = string | Uint8Array | number

export interface ExchangeOptions {
  readonly limitMs: number
  /** Keep our side open after the last step: the host cannot know that nothing more comes. */
  readonly stayOpen?: boolean
}

export function exchange(url: string, steps: readonly Step[], { limitMs, stayOpen = false }: ExchangeOptions): Promise<Exchange> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const received: Buffer[] = []
    const finish = (closed: boolean) => {
      clearTimeout(limit)
      socket.destroy()
      resolve({ ...answersIn(Buffer.concat(received).toString('latin1')), closed })
    }
    const limit = setTimeout(() => finish(false), limitMs)
    socket.on('data', data => received.push(data))
    socket.on('end', () => finish(true))
    // A host may close the connection while the client still sends malformed bytes.
    socket.on('error', () => finish(true))
    socket.on('connect', async () => {
      for (const step of steps) {
        if (socket.destroyed) return
        if (typeof step === 'number') await new Promise(resume => setTimeout(resume, step))
        else await new Promise<void>(resume => socket.write(step, () => resume()))
      }
      if (!stayOpen && !socket.destroyed) socket.end()
    })
  })
}

/** Every whole answer among these bytes. */
function answersIn(text: string): Omit<Exchange, 'closed'> {
  const answers: RawAnswer[] = []
  let rest = text
  for (;;) {
    const read = readAnswer(rest)
    if (read === null) return { answers, rest }
    answers.push(read.answer)
    rest = rest.slice(read.length)
  }
}

function readAnswer(text: string): { readonly answer: RawAnswer; readonly length: number } | null {
  const head = /^HTTP\/1\.[01] (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(text)
  if (head === null) return null
  const status = Number(head[1])
  const lines = head[2]!.split('\r\n').filter(line => line !== '')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const start = head[0].length
  if (status < 200 || status === 204 || status === 304) return { answer: { status, headers, body: '' }, length: start }
  if (headers['transfer-encoding'] === 'chunked') {
    const end = text.indexOf('0\r\n\r\n', start)
    return end < 0 ? null : { answer: { status, headers, body: text.slice(start, end) }, length: end + 5 }
  }
  const length = headers['content-length'] === undefined ? text.length - start : Number(headers['content-length'])
  if (text.length < start + length) return null
  const body = Buffer.from(text.slice(start, start + length), 'latin1').toString('utf8')
  return { answer: { status, headers, body }, length: start + length }
}
