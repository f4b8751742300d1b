// Answers bytes that are not HTTP, too large or too slow, before there is a request, with the same error envelope as everything else.
import { randomUUID } from 'node:crypto'
import { Fault } from '../../errors.ts'
import { destroySoon, type HttpSocket } from './connections.ts'
import type { HostLimits } from './limits.ts'

export const garbageAnswerer =
  (limits: HostLimits) =>
  (error: NodeJS.ErrnoException, socket: HttpSocket): void => {
    // A peer with its last answer gets time to read it.
    if (socket.writableEnded && error.code !== 'ECONNRESET') return destroySoon(socket)
    const answer = socket._httpMessage
    // The request before it was complete, and is answered first.
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
    destroySoon(socket)
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
