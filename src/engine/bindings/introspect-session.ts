// introspect.session: a tool that shows an agent facts about its own work. Read only; names and numbers, never content.
import type { Json } from '../../core/digest/digest.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { Binding, Store } from '../../ports.ts'
import { loadRun } from '../runs/load.ts'
import { loadSession } from '../sessions/load.ts'

export const introspectSession = (store: Store): Binding => ({
  descriptor: {
    name: 'introspect.session',
    description: 'Says which session this is, what it is set to, and which version of its workspace is active.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  },
  repeatable: true,
  reads: true,
  async run({ tenant, runId, nodeId, agent }) {
    const { state } = await loadRun(store, tenant, runId)
    const { turn, home, session } = nodeOf(state, nodeId)
    const from = home === null ? null : (await loadSession(store, tenant, home)).state
    const snapshot = turn?.snapshot ?? null
    return {
      session: session ?? agent,
      lifecycle: turn?.phase ?? 'idle',
      run: from?.open?.runId === runId ? from.open.run : null,
      runId,
      node: nodeId,
      steps: turn?.steps ?? 0,
      messages: turn?.history.count ?? 0,
      provider: turn?.config.provider ?? '',
      model: turn?.config.model ?? '',
      workspace: snapshot === null ? null : { name: snapshot.workspace, version: snapshot.version },
      pending: from?.workspace.pending?.snapshot.version ?? null,
    } satisfies Json
  },
})
