// Sessions on a folder that no host runs on: the work is done here, and ends with the command.
import { randomBytes, randomUUID } from 'node:crypto'
import { type OpenSessions, openSessions } from '../../book/open-sessions.ts'
import { policyOf } from '../../book/policy-file.ts'
import { openProductStore } from '../../book/product-store.ts'
import { actorOf, existingDatabase, tenantOf } from '../../book/record-folder.ts'
import { repoBindings } from '../../book/repo-bindings.ts'
import { livingHost } from '../../book/running-host.ts'
import type { Json } from '../../core/digest/digest.ts'
import { grantOfSome } from '../../core/gate/grants.ts'
import { runIdOf } from '../../core/run/run-id.ts'
import { NAME } from '../../core/session/config-format.ts'
import { sessionStream } from '../../core/session/events.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { loadRun } from '../../engine/runs/load.ts'
import { providersOf } from '../../engine/runs/start/providers.ts'
import type { RunWork } from '../../engine/runs/work.ts'
import { commandSession, provideInput } from '../../engine/sessions/command-session.ts'
import { applyOutcome, askSync, snapshotWarnings, syncOutcome } from '../../engine/sessions/outcomes.ts'
import { checkWorkspace, configOf, type GivenMessage, messageObject, refusalFault, selectionFor } from '../../engine/sessions/requests.ts'
import { listSessions, newestRun } from '../../engine/sessions/sessions.ts'
import type { SessionPlace, Submission, Submitted } from '../../engine/sessions/submit.ts'
import { existingSession, readTranscript, sessionView } from '../../engine/sessions/views.ts'
import type { SessionWork } from '../../engine/sessions/work.ts'
import { allBindings } from '../../engine/tools/bound.ts'
import { readBytes } from '../../engine/workspaces/read.ts'
import { Fault } from '../../errors.ts'
import { aosEvents } from '../../host/streams/aos-events.ts'
import type { MessageInput, SessionDescription, TranscriptPage } from '../../wire/onbook/sessions.ts'
import type { Input } from '../commands.ts'
import { visibleLines } from '../report/visible.ts'
import { leaveCommand } from '../runs/leave-command.ts'
import { recordedRuns } from '../runs/recorded-runs.ts'
import type { Desk, DeskUse, ShownEvent } from './desk.ts'
import { checkGiven, checkProviders } from './ready.ts'

const DEFAULT_PAGE = 300

const report = (error: Error): void => void process.stderr.write(`onbook: ${visibleLines(String(error.stack ?? error)).join('\n')}\n`)

/** Whoever only looks opens no more than the record: nothing is written, and no policy asked. */
export function deskAtRest(input: Input, { makes = false, judges = false }: DeskUse): Desk {
  if (!makes) existingDatabase(input)
  const store = openProductStore(input)
  const tenant = tenantOf(input)
  let opened: Promise<OpenSessions> | undefined
  const sessions = (): Promise<OpenSessions> => {
    opened ??= opening()
    return opened
  }
  const opening = async (): Promise<OpenSessions> => {
    // What these commands call --config is a session's.
    const hostInput = { ...input, config: undefined }
    if (judges) await checkGiven(hostInput)
    // Only where something is judged can a tool be called.
    const tools = judges ? repoBindings(hostInput) : []
    return openSessions(store, hostInput, await policyOf(input, judges ? store : null), report, tools)
  }
  const placeOf = (session: string): SessionPlace => ({ tenant, session, actor: actorOf() })
  const say = (given: MessageInput) => messageObject(store, tenant, given as GivenMessage)

  const submit = async (session: string, command: Parameters<SessionWork['submit']>[1], submission?: Submission): Promise<Submitted> => {
    const { work } = await sessions()
    const done = await work.submit(placeOf(session), command, submission)
    if (done.refusal !== null) throw refusalFault(done.refusal)
    return done
  }

  /** The run that is at work in a session, where no host is at it: then it is not ours. */
  const openRun = async (session: string): Promise<string | null> => {
    const { open } = (await existingSession(store, tenant, session)).state
    return open === null || livingHost(input) !== null ? null : open.runId
  }
  const takeUp = async (session: string): Promise<void> => {
    const runId = await openRun(session)
    if (runId !== null) await (await sessions()).runs.resume({ tenant, runId })
  }
  /** A run that goes on without what it needs fails for good: it is refused while it still waits. */
  const takeUpReady = async (session: string): Promise<void> => {
    const runId = await openRun(session)
    if (runId !== null) await checkProviders({ ...input, config: undefined }, await providersOf(store, tenant, runId))
    await takeUp(session)
  }
  /** Takes the run over from the process that was at it, which may be gone. */
  const leave: RunWork['submit'] = async (place, command, { objects = [] } = {}) => {
    await leaveCommand(store, place, `cli-${randomUUID()}`, command, objects)
    return { run: await loadRun(store, tenant, place.runId), events: [], refusal: null, replayed: false }
  }

  return {
    async create({ session = `session-${randomUUID()}`, agentId = null, config: given = {} }) {
      if (!new RegExp(NAME).test(session)) throw new Fault('name_invalid', { problem: `"${session}" cannot name a session` })
      const config = configOf(given as Json)
      await checkWorkspace(store, tenant, config)
      await submit(session, { type: 'create', session, agentId, config })
      return { session, config }
    },
    list: () => listSessions(store, tenant),
    get: async session =>
      (await sessionView(store, tenant, await existingSession(store, tenant, session))) as unknown as SessionDescription,
    async configure(session, given) {
      const config = configOf(given as Json)
      await checkWorkspace(store, tenant, config)
      await submit(session, { type: 'configure', config })
    },
    async sync(session, { knownVersion = null, ...asked } = {}) {
      const { state } = await existingSession(store, tenant, session)
      const loop = await sessions()
      const { work, grants } = loop
      const { asked: begun } = await askSync(store, work, placeOf(session), { selection: selectionFor(state.config, asked), knownVersion })
      const found = (await syncOutcome(store, placeOf(session), begun, new AbortController().signal))!
      if (found.outcome !== 'ready') return found
      const mayUse = (tool: string) => grantOfSome(grants, { tool, tenant, agent: session, role: null }).granted
      const bindings = await allBindings(loop, tenant)
      return { ...found, warnings: await snapshotWarnings(store, tenant, found.snapshot, { bindings, mayUse }) }
    },
    async apply(session, when = 'next_run', { untested = false } = {}) {
      const { work } = await sessions()
      const done = await work.submit(placeOf(session), { type: 'requestApply', when, untested })
      const outcome = applyOutcome(done.events, when)
      if (outcome === null) throw refusalFault(done.refusal!)
      return outcome
    },
    async run(session, { input: given, overrides, interactive = false }) {
      const said = given === undefined ? null : await say(given)
      const config = overrides === undefined ? null : configOf(overrides as Json)
      const { runs } = await sessions()
      const runId = runIdOf(Date.now(), randomBytes(20))
      const asked = { session, input: said?.digest ?? null, overrides: config, interactive, objects: said?.objects ?? [] }
      await runs.ask({ tenant, runId, actor: actorOf() }, asked)
      return { run: (await existingSession(store, tenant, session)).state.runs, runId }
    },
    async command(session, asked) {
      const { id = randomUUID(), kind } = asked
      if (!('message' in asked)) {
        const reason = 'reason' in asked ? { reason: asked.reason } : {}
        await commandSession({ work: (await sessions()).work, runs: { submit: leave } }, store, placeOf(session), { id, kind, ...reason })
        if (kind !== 'pause') await takeUp(session)
        return { id }
      }
      const { digest, objects } = await say(asked.message)
      await takeUpReady(session)
      await commandSession(await sessions(), store, placeOf(session), { id, kind, message: digest, objects })
      return { id }
    },
    async provideInput(session, message) {
      const { digest, objects } = await say(message)
      await takeUpReady(session)
      await provideInput(await sessions(), store, placeOf(session), { id: randomUUID(), message: digest, objects })
      return { run: (await existingSession(store, tenant, session)).state.runs }
    },
    async transcript(session, { from = 0, limit = DEFAULT_PAGE } = {}) {
      const loaded = await existingSession(store, tenant, session)
      return { session, ...(await readTranscript(store, tenant, loaded, { from, limit })) } as unknown as TranscriptPage
    },
    async *events(session, { after = -1, signal } = {}) {
      await existingSession(store, tenant, session)
      const stream = sessionStream(session)
      const all = signal === undefined ? store.read(tenant, stream, after) : store.follow(tenant, stream, after, signal)
      for await (const { event } of all) yield event as unknown as ShownEvent
    },
    runs: recordedRuns({ store, tenant, sessions, opened: () => opened }),
    async *aosEvents(session, signal) {
      await existingSession(store, tenant, session)
      for await (const { event } of aosEvents(store, { tenant, session, ...(signal === undefined ? {} : { signal }) })) yield event
    },
    put: bytes => store.writeObject(tenant, [bytes]),
    file: (workspace, version, path) =>
      readBytes(store, { tenant, policy: EVERYTHING }, { workspace, version }, path).catch(error => {
        if (error instanceof Fault && error.status === 404) return null
        throw error
      }),
    lasts: false,
    takeUp,
    async quiet(session) {
      const found = await opened
      if (found === undefined) return
      await found.work.quiet(tenant, session)
      const runId = await newestRun(store, tenant, session)
      if (runId !== null) await found.runs.quiet(tenant, runId)
    },
    async close() {
      await opened?.then(
        one => one.close(),
        () => {}, // whoever needed it was told
      )
      await store.close()
    },
  }
}
