// What needs somebody who does the work of sessions. A host that has nobody says so.
import type { FastifyInstance } from 'fastify'
import { Fault } from '../../errors.ts'
import type { HostParts } from '../app.ts'
import type { EventStreams } from '../event-stream.ts'
import { liveDeltas } from '../hosted-sessions.ts'
import { objectRoutes } from './objects.ts'
import { sessionWorkRoutes } from './session-work.ts'
import { sessionRoutes } from './sessions.ts'
import { toolRoutes } from './tools.ts'

export function hostedRoutes(app: FastifyInstance, { store, sessions }: HostParts, streams: EventStreams): void {
  objectRoutes(app, store)
  app.register(async hosted => {
    if (sessions === undefined) hosted.addHook('onRequest', (_request, _reply, done) => done(absent()))
    const parts = { store, sessions: sessions ?? NOBODY }
    sessionRoutes(hosted, parts, streams)
    sessionWorkRoutes(hosted, parts)
    toolRoutes(hosted, parts.sessions)
  })
}

const absent = () => new Fault('capability_not_provided', { capability: 'sessions' })

/** Never asked: the hook refuses before. */
const NOBODY = {
  work: {
    submit: () => Promise.reject(absent()),
    quiet: () => Promise.resolve(),
    resume: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  },
  bindings: new Map(),
  grants: [],
  live: liveDeltas(),
}
