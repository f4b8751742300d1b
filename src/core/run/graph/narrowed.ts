// The permissions of a spawned node: at most those that the spawning node has or may hand on, and at most those that were requested.
import type { EdgeManagement, NodeSettings } from '../../gate/authorize.ts'

const SCOPES: readonly EdgeManagement[] = ['none', 'self', 'all']

export const narrowedSettings = (parent: NodeSettings, asked: NodeSettings): NodeSettings => ({
  edgeManagement: SCOPES[Math.max(0, Math.min(SCOPES.indexOf(parent.edgeManagement), SCOPES.indexOf(asked.edgeManagement)))]!,
  writeCode: parent.writeCode && asked.writeCode,
  writeDocs: parent.writeDocs && asked.writeDocs,
  runCommands: parent.runCommands && asked.runCommands,
  // Restricts only the node's own calls. A node that must delegate still hands on its permissions.
  delegateOnly: asked.delegateOnly,
  gated: parent.gated || asked.gated,
})

/** @param parent null where it has no role: then nothing of what it asks for is looked at */
export function narrowedRequests(parent: readonly string[] | null, asked: readonly string[]): readonly string[] {
  if (parent === null) return asked
  const held = parent.includes('edge_management_all') ? [...parent, 'edge_management_self'] : parent
  // Who asks for everything and may have some gets that.
  const wanted = asked.includes('edge_management_all') ? [...new Set([...asked, 'edge_management_self'])] : asked
  return wanted.filter(one => held.includes(one))
}
