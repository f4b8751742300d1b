// Registers the routes that need a worker for sessions. A host without one answers 501 for them.
import type { FastifyInstance } from 'fastify'
import { DEFAULT_POLICY } from '../../core/gate/host-policy.ts'
import type { SessionWork } from '../../engine/sessions/work.ts'
import { Fault } from '../../errors.ts'
import type { HostParts } from '../app.ts'
import { type HostedSessions, liveDeltas } from '../hosted-sessions.ts'
import type { EventStreams } from '../streams/event-stream.ts'
import { objectRoutes } from './objects.ts'
import { runBlameRoutes } from './questions/blame.ts'
import { runDiffRoutes } from './questions/diff.ts'
import type { LongQuestions } from './questions/long-questions.ts'
import { runPrefixRoutes } from './questions/prefix.ts'
import { workspaceRegressionRoutes } from './questions/regression.ts'
import { runReplayRoutes } from './questions/replay.ts'
import { runWhyRoutes } from './questions/why.ts'
import { runEventRoutes } from './runs/events.ts'
import { runExportRoutes } from './runs/export.ts'
import { runForkRoutes } from './runs/fork.ts'
import { interruptRoutes } from './runs/interrupts.ts'
import { runPromptRoutes } from './runs/prompts.ts'
import { runRoutes } from './runs/runs.ts'
import { runVerbRoutes } from './runs/verbs.ts'
import { runWorkRoutes } from './runs/work.ts'
import { sessionEventRoutes } from './sessions/events.ts'
import { sessionRoutes } from './sessions/sessions.ts'
import { sessionWorkRoutes } from './sessions/work.ts'
import { approvalRoutes } from './tools/approvals.ts'
import { policyRoutes } from './tools/policy.ts'
import { toolRoutes } from './tools/tools.ts'

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

/** Never called: the hook refuses first. */
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
