// workspace.read: a file of the workspace that a session works with, as text. Reads, and nothing else; the session's policy decides what.
import { isObject } from '../../core/digest/is-object.ts'
import type { WorkspacePolicy } from '../../core/workspace/policy.ts'
import { Fault } from '../../errors.ts'
import type { Binding, Store } from '../../ports.ts'
import { loadSession } from '../sessions/load.ts'
import { readBytes } from '../workspaces/read.ts'

const MOST_BYTES = 128 * 1024

export const workspaceRead = (store: Store, policy: (tenant: string, session: string) => WorkspacePolicy): Binding => ({
  descriptor: {
    name: 'workspace.read',
    description: 'Reads a text file of the workspace, as it is in the version that is in force.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', minLength: 1, maxLength: 1000 } },
      required: ['path'],
      additionalProperties: false,
    },
  },
  repeatable: true,
  reads: true,
  async run({ tenant, session, arguments: given }) {
    const path = isObject(given) ? String(given.path) : ''
    const { state } = await loadSession(store, tenant, session)
    const snapshot = state.run?.snapshot ?? state.workspace.active
    if (snapshot === null) throw new Fault('workspace_unset', { problem: 'no version of a workspace is in force' })
    const { workspace, root } = snapshot
    const bytes = await readBytes(store, { tenant, policy: policy(tenant, session) }, { workspace, root }, path)
    if (bytes.length > MOST_BYTES) throw new Fault('object_unfit', { digest: path, problem: `it has more than ${MOST_BYTES} bytes` })
    return { path, version: snapshot.version, text: readText(path, bytes) }
  },
})

function readText(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Fault('object_unfit', { digest: path, problem: 'it is not text' })
  }
}
