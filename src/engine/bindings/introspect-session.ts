// introspect.session: what a session knows about itself. Reads, and nothing else; names and numbers, never content.
import type { Json } from '../../core/digest/digest.ts'
import { lifecycleOf } from '../../core/session/state.ts'
import type { Binding, Store } from '../../ports.ts'
import { loadSession } from '../sessions/load.ts'

export const introspectSession = (store: Store): Binding => ({
  descriptor: {
    name: 'introspect.session',
    description: 'Says which session this is, what it is set to, and which version of its workspace is in force.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  },
  repeatable: true,
  reads: true,
  async run({ tenant, session }) {
    const { state } = await loadSession(store, tenant, session)
    const { workspace, run, history } = state
    const inForce = run?.snapshot ?? workspace.active
    return {
      session,
      lifecycle: lifecycleOf(state),
      run: run?.run ?? null,
      steps: run?.steps ?? 0,
      messages: history.count,
      provider: (run?.config ?? state.config).provider,
      model: (run?.config ?? state.config).model,
      workspace: inForce === null ? null : { name: inForce.workspace, version: inForce.version },
      pending: workspace.pending?.snapshot.version ?? null,
    } satisfies Json
  },
})
