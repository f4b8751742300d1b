// Connections that the host ends by itself. Node closes its own half only; a peer that does not close, or does not read, would keep the rest open.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** A socket with the response that is being written to it. Node has no public name for that response. */
export type HttpSocket = Socket & { readonly _httpMessage?: (ServerResponse & { readonly req: IncomingMessage }) | null }

/** Time for a peer to read the last answer and to close. */
const LINGER_MS = 1_000

/** Destroys a socket that is still open after the linger time. */
export function destroySoon(socket: Socket, ms = LINGER_MS): void {
  if (socket.destroyed) return
  const timer = setTimeout(() => socket.destroy(), ms)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}

/**
 * For a request that is answered before its body has arrived, for example with a 401. The rest of the body gets the linger time, and is discarded.
 */
export function limitLateBody(request: IncomingMessage): void {
  const { socket } = request
  // A request from inside this process has no connection.
  if (!(socket instanceof Socket) || request.complete || socket.destroyed) return
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  timer.unref()
  const done = () => clearTimeout(timer)
  socket.once('close', done)
  request.once('end', done)
  request.resume()
}

/** Destroys connections whose peer has read nothing of an answer for `unreadMs`. A connection whose answer is still being computed stays open. */
export function limitUnread(server: Server, unreadMs: number): void {
  server.setTimeout(unreadMs, (socket: HttpSocket) => {
    if (!socket._httpMessage || socket.writableLength > 0) socket.destroy()
  })
}

/** Tracks connections on which nothing was ever sent: Node keeps them open when it closes the server. @returns a function that destroys them */
export function silentConnections(server: Server): () => void {
  const open = new Set<Socket>()
  server.on('connection', socket => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  }
}
