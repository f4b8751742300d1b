// Folder: Tools of the host that read the record for an agent. They change nothing.
// workspace.read: a tool that returns a file of the node's workspace as text. Read only; the policy of its home session decides which files.
import { isObject } from '../../core/digest/is-object.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { WorkspacePolicy } from '../../core/workspace/policy.ts'
import { Fault } from '../../errors.ts'
import type { Binding, Store } from '../../ports.ts'
import { loadRun } from '../runs/load.ts'
import { nodeName } from '../turns/agent-name.ts'
import { readBytes } from '../workspaces/read.ts'

const MOST_BYTES = 128 * 1024

export const workspaceRead = (store: Store, policy: (tenant: string, agent: string) => WorkspacePolicy): Binding => ({
  descriptor: {
    name: 'workspace.read',
    description: 'Reads a text file of the workspace, as it is in the version that is active.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', minLength: 1, maxLength: 1000 } },
      required: ['path'],
      additionalProperties: false,
    },
  },
  repeatable: true,
  reads: true,
  async run({ tenant, runId, nodeId, arguments: given }) {
    const path = isObject(given) ? String(given.path) : ''
    const { turn, home } = nodeOf((await loadRun(store, tenant, runId)).state, nodeId)
    const snapshot = turn?.snapshot ?? null
    if (snapshot === null) throw new Fault('workspace_unset', { problem: 'no version of a workspace is active' })
    const { workspace, root } = snapshot
    const user = { tenant, policy: policy(tenant, home ?? nodeName(runId, nodeId)) }
    const bytes = await readBytes(store, user, { workspace, root }, path)
    if (bytes.length > MOST_BYTES) throw new Fault('object_malformed', { digest: path, problem: `it has more than ${MOST_BYTES} bytes` })
    return { path, version: snapshot.version, text: readText(path, bytes) }
  },
})

function readText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Fault('object_malformed', { digest: path, problem: 'it is not text' })
  }
}
