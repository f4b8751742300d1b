// The permissions of a spawned node: at most those that the spawning node has or may hand on, and at most those that were requested.
import type { EdgeManagement, NodeSettings } from '../../gate/authorize.ts'

const SCOPES: readonly EdgeManagement[] = ['none', 'self', 'all']

export const narrowedSettings = (parent: NodeSettings, request: NodeSettings): NodeSettings => ({
  edgeManagement: SCOPES[Math.max(0, Math.min(SCOPES.indexOf(parent.edgeManagement), SCOPES.indexOf(request.edgeManagement)))]!,
  writeCode: parent.writeCode && request.writeCode,
  writeDocs: parent.writeDocs && request.writeDocs,
  runCommands: parent.runCommands && request.runCommands,
  // Restricts only the node's own calls. A node that must delegate still hands on its permissions.
  delegateOnly: request.delegateOnly,
  gated: parent.gated || request.gated,
})

/** @param parent null when the parent has no role: then its requests do not limit the child */
export function narrowedRequests(parent: readonly string[] | null, request: readonly string[]): readonly string[] {
  if (parent === null) return request
  const held = parent.includes('edge_management_all') ? [...parent, 'edge_management_self'] : parent
  // A request for all edges includes its own edges, which the parent may have.
  const wanted = request.includes('edge_management_all') ? [...new Set([...request, 'edge_management_self'])] : request
  return wanted.filter(one => held.includes(one))
}
