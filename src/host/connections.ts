// Connections that have been made and on which nothing was ever said: Node keeps them when it closes, and nobody would miss them.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** @returns what ends them */
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
