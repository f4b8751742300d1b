// Runs on a folder that no host runs on: the work is done here, and ends with the command.
import { randomBytes, randomUUID } from 'node:crypto'
import { type OpenSessions, openSessions } from '../../book/open-sessions.ts'
import { policyOf } from '../../book/policy-file.ts'
import { openProductStore } from '../../book/product-store.ts'
import { actorOf, existingDatabase, tenantOf } from '../../book/record-folder.ts'
import { repoBindings } from '../../book/repo-bindings.ts'
import { livingHost } from '../../book/running-host.ts'
import { canonicalJson, digestText } from '../../core/digest/digest.ts'
import type { RunCommand } from '../../core/run/decide.ts'
import { runIdOf } from '../../core/run/run-id.ts'
import { nodeOf } from '../../core/run/state.ts'
import { loadWorkflow } from '../../engine/definitions/workflows.ts'
import { askedApproval, openApprovals } from '../../engine/runs/calls/approvals.ts'
import { loadRun } from '../../engine/runs/load.ts'
import { listRuns } from '../../engine/runs/runs.ts'
import { providersFor, providersOf } from '../../engine/runs/start/providers.ts'
import { messageObject, refusalFault } from '../../engine/sessions/requests.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { faultText, visibleLines } from '../report/visible.ts'
import type { DeskUse } from '../sessions/desk.ts'
import { checkGiven, checkProviders, checkUsed } from '../sessions/ready.ts'
import type { ListedApproval, RunDesk, RunRequest } from './desk.ts'
import { leaveCommand, noRun } from './leave-command.ts'
import { recordedRuns } from './recorded-runs.ts'
import { statusOf } from './standing.ts'

/** Where it came from is of no use to a person whose machine lacks something. */
const report = (error: Error): void =>
  void process.stderr.write(
    error instanceof Fault ? faultText(error) : `onbook: ${visibleLines(String(error.stack ?? error)).join('\n')}\n`,
  )

export function runDeskAtRest(input: Input, { makes = false, judges = false }: DeskUse): RunDesk {
  if (!makes) existingDatabase(input)
  const store = openProductStore(input)
  const tenant = tenantOf(input)
  const actor = actorOf()
  let opened: Promise<OpenSessions> | undefined
  const sessions = (): Promise<OpenSessions> => {
    opened ??= opening()
    return opened
  }
  const opening = async (): Promise<OpenSessions> => {
    // Only where something is judged can a tool be called. What lacks a repo is refused before the policy goes on record.
    const tools = judges ? repoBindings(input) : []
    return openSessions(store, input, await policyOf(input, judges ? store : null), report, tools)
  }
  const leave = (runId: string, command: RunCommand, objects: readonly Uint8Array[] = []) =>
    leaveCommand(store, { tenant, runId, actor }, `cli-${randomUUID()}`, command, objects)
  const takeUp = async (runId: string): Promise<void> => {
    // With a host at it, it is not ours.
    if (livingHost(input) === null) await (await sessions()).runs.resume({ tenant, runId })
  }
  /** A run that goes on without what it needs fails for good: it is refused while it still waits. */
  const checkReady = async (providers: Iterable<string>): Promise<void> => {
    if (livingHost(input) !== null) return
    await checkGiven(input)
    await checkProviders(input, providers)
  }

  return {
    async create({ workflowId, ...request }) {
      const found = await loadWorkflow(store, tenant, workflowId)
      if (found === null) throw new Fault('workflow_not_found', { workflowId })
      const runId = runIdOf(Date.now(), randomBytes(20))
      await (await sessions()).runs.create({ tenant, runId, actor }, { ...request, workflow: found.workflow })
      return runId
    },
    async fork(source, asked) {
      if (asked.mode === 'branch') {
        const given = asked.overlay?.model
        const { state } = await loadRun(store, tenant, source)
        const providers = given === undefined ? await providersFor(store, tenant, state) : new Set([given.provider])
        checkUsed(input, providers)
        await checkReady(providers)
      }
      const runId = runIdOf(Date.now(), randomBytes(20))
      await (await sessions()).forks.fork({ tenant, runId, actor }, source, asked)
      return runId
    },
    async *list() {
      for await (const { phase, ...run } of listRuns(store, tenant))
        yield { ...run, status: phase === 'running' ? statusOf((await loadRun(store, tenant, run.runId)).state) : phase }
    },
    ...recordedRuns({ store, tenant, sessions, opened: () => opened }),
    waiting: async () => null,
    async ask(runId, request) {
      if (request.type === 'resume') await checkReady(await providersOf(store, tenant, runId))
      const { command, objects } = commandOf(request)
      await leave(runId, command, objects)
      // Something has to end what is under way, or to go on with it.
      if (request.type === 'cancel' || request.type === 'resume') await takeUp(runId)
      if (request.type === 'cancel') await (await sessions()).runs.quiet(tenant, runId)
    },
    async say(runId, nodeId, kind, text) {
      await checkStarted(store, tenant, runId, nodeId)
      await checkReady(await providersOf(store, tenant, runId))
      await takeUp(runId)
      const { runs } = await sessions()
      const { digest, objects } = await messageObject(store, tenant, text)
      const command = { type: 'leaveMessage', message: { kind, id: randomUUID(), message: digest } } as const
      const { refusal } = await runs.submit({ tenant, runId, actor }, { type: 'turn', nodeId, command }, { objects })
      if (refusal !== null) throw refusalFault(refusal)
    },
    async approvals() {
      const open: ListedApproval[] = []
      for await (const one of openApprovals(store, tenant)) open.push(one)
      return open
    },
    async resolve(approval, { decision, note, arguments: changed }) {
      const { runId, nodeId, wants } = await askedApproval(store, tenant, approval)
      // The run goes on with the answer: that is work, and done by the process that is at the run.
      await checkReady(await providersOf(store, tenant, runId))
      const { runs } = await sessions()
      await takeUp(runId)
      const { refusal } =
        wants.kind === 'mode'
          ? await runs.submit({ tenant, runId, actor }, { type: 'resolveMode', approval, decision, by: actor, note })
          : await runs.answer({ tenant, runId, nodeId, actor }, { approval, decision, note, arguments: changed })
      if (refusal !== null) throw refusalFault(refusal)
    },
    async takeUp(runId) {
      await checkReady(await providersOf(store, tenant, runId))
      await takeUp(runId)
    },
    lasts: false,
    async close() {
      await opened?.then(
        one => one.close(),
        () => {}, // whoever needed it was told
      )
      await store.close()
    },
  }
}

function commandOf(request: RunRequest): { readonly command: RunCommand; readonly objects: readonly Uint8Array[] } {
  if (request.type === 'mode') return { command: { type: 'setMode', mode: request.mode }, objects: [] }
  if (request.type !== 'override') return { command: request, objects: [] }
  const { nodeId, text } = request
  if (text === null) return { command: { type: 'giveOverride', nodeId, text: null }, objects: [] }
  const stored = canonicalJson({ text })
  return { command: { type: 'giveOverride', nodeId, text: digestText(stored) }, objects: [new TextEncoder().encode(stored)] }
}

async function checkStarted(store: Store, tenant: string, runId: string, nodeId: string): Promise<void> {
  const { state } = await loadRun(store, tenant, runId)
  if (state.runId === '') throw noRun(runId)
  if (nodeOf(state, nodeId).visits === 0)
    throw new Fault('node_not_running', { problem: `Node ${nodeId} of run ${runId} has not been started` })
}
