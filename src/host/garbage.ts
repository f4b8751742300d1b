// What is not HTTP, too much of it or too slow, answered before there is a request: in the same envelope as everything else.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Fault } from '../errors.ts'
import type { HostLimits } from './limits.ts'

type Answering = Socket & { readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null }

export const garbageAnswerer =
  (limits: HostLimits) =>
  (error: NodeJS.ErrnoException, socket: Answering): void => {
    const answer = socket._httpMessage
    // What came before it was whole, and is answered first.
    if (answer?.req.complete && error.code !== 'ECONNRESET') {
      answer.once('close', () => socket.destroy())
      return
    }
    if (error.code === 'ECONNRESET' || !socket.writable || answer?.headersSent) {
      socket.destroy()
      return
    }
    const [status, fault] = faultFor(error.code, limits)
    const body = JSON.stringify(fault)
    const head = [
      `HTTP/1.1 ${status} Refused`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${randomUUID()}`,
      'connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  }

function faultFor(code: string | undefined, { headersMs, requestMs, headerBytes }: HostLimits): readonly [number, Fault] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, new Fault('request_slow', { ms: Math.max(headersMs, requestMs) })]
  if (code === 'HPE_HEADER_OVERFLOW')
    return [
      431,
      new Fault('validation_error', { problem: `The request was not understood: its headers have more than ${headerBytes} bytes` }),
    ]
  return [400, new Fault('validation_error', { problem: 'The request was not understood: it is not HTTP' })]
}
