// What needs somebody who does the work of sessions. A host that has nobody says so.
import type { FastifyInstance } from 'fastify'
import { DEFAULT_POLICY } from '../../core/gate/host-policy.ts'
import type { SessionWork } from '../../engine/sessions/work.ts'
import { Fault } from '../../errors.ts'
import type { HostParts } from '../app.ts'
import type { EventStreams } from '../event-stream.ts'
import { type HostedSessions, liveDeltas } from '../hosted-sessions.ts'
import { approvalRoutes } from './approvals.ts'
import { interruptRoutes } from './interrupts.ts'
import type { LongQuestions } from './long-questions.ts'
import { objectRoutes } from './objects.ts'
import { policyRoutes } from './policy.ts'
import { runRoutes } from './runs.ts'
import { runBlameRoutes } from './runs-blame.ts'
import { runDiffRoutes } from './runs-diff.ts'
import { runEventRoutes } from './runs-events.ts'
import { runExportRoutes } from './runs-export.ts'
import { runForkRoutes } from './runs-fork.ts'
import { runPrefixRoutes } from './runs-prefix.ts'
import { runPromptRoutes } from './runs-prompts.ts'
import { runReplayRoutes } from './runs-replay.ts'
import { runVerbRoutes } from './runs-verbs.ts'
import { runWhyRoutes } from './runs-why.ts'
import { runWorkRoutes } from './runs-work.ts'
import { sessionEventRoutes } from './session-events.ts'
import { sessionWorkRoutes } from './session-work.ts'
import { sessionRoutes } from './sessions.ts'
import { toolRoutes } from './tools.ts'
import { workspaceRegressionRoutes } from './workspace-regression.ts'

export function hostedRoutes(
  app: FastifyInstance,
  { store, sessions, config, roles = null }: HostParts,
  streams: EventStreams,
  questions: LongQuestions,
): void {
  objectRoutes(app, store)
  app.register(async hosted => {
    if (sessions === undefined) hosted.addHook('onRequest', (_request, _reply, done) => done(absent()))
    const parts = { store, sessions: sessions ?? NOBODY, questions }
    sessionRoutes(hosted, parts)
    sessionEventRoutes(hosted, parts, streams)
    sessionWorkRoutes(hosted, parts)
    toolRoutes(hosted, parts)
    runRoutes(hosted, parts)
    runVerbRoutes(hosted, parts)
    runWorkRoutes(hosted, parts)
    runEventRoutes(hosted, parts, config.observability, streams)
    runPromptRoutes(hosted, parts, config.observability)
    runExportRoutes(hosted, parts)
    runForkRoutes(hosted, parts)
    runWhyRoutes(hosted, parts)
    runReplayRoutes(hosted, parts, config)
    runDiffRoutes(hosted, parts, config.observability)
    runBlameRoutes(hosted, parts, config.observability)
    runPrefixRoutes(hosted, parts)
    workspaceRegressionRoutes(hosted, parts, config)
    approvalRoutes(hosted, parts)
    interruptRoutes(hosted, parts)
    policyRoutes(hosted, parts, roles)
  })
}

const absent = () => new Fault('capability_not_provided', { capability: 'sessions' })

/** Never asked: the hook refuses before. */
const NO_SESSIONS: SessionWork = {
  submit: () => Promise.reject(absent()),
  quiet: () => Promise.resolve(),
  resume: () => Promise.resolve(),
  close: () => Promise.resolve(),
}
const NOBODY: HostedSessions = {
  work: NO_SESSIONS,
  runs: {
    sessions: NO_SESSIONS,
    create: () => Promise.reject(absent()),
    ask: () => Promise.reject(absent()),
    answer: () => Promise.reject(absent()),
    admit: () => {},
    submit: () => Promise.reject(absent()),
    resume: () => Promise.resolve(0),
    quiet: () => Promise.resolve(),
    close: () => Promise.resolve(),
  },
  forks: {
    fork: () => Promise.reject(absent()),
    resume: () => Promise.resolve(0),
    quiet: () => Promise.resolve(),
    close: () => Promise.resolve(),
  },
  bindings: new Map(),
  grants: [],
  policy: { policy: DEFAULT_POLICY, lines: [] },
  live: liveDeltas(),
  validator: { ask: () => Promise.reject(absent()), close: () => Promise.resolve() },
}
