// The capability that a tool call needs, in the terms that roles request and node settings use.
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'

export interface ToolCall {
  readonly name: string
  readonly arguments: Json
}

/** `tool:<name>` for every tool that is not built in; null when nothing has to be requested. */
export type Capability =
  | 'run_commands'
  | 'read_repo'
  | 'edit_code'
  | 'write_docs'
  | 'edge_management_self'
  | 'edge_management_all'
  | `tool:${string}`

/** The call by which a planning agent requests implementation from a person. The request changes nothing by itself. */
export const REQUEST_IMPLEMENTATION = 'request_implementation'

export function capabilityOf({ name, arguments: args }: ToolCall): Capability | null {
  switch (name) {
    case 'command':
      return 'run_commands'
    case 'read_file':
    case 'list_files':
      return 'read_repo'
    case 'write_file':
    case 'delete_file':
      return isDocsPath(isObject(args) ? args.path : null) ? 'write_docs' : 'edit_code'
    case 'spawn_node':
      return 'edge_management_all'
    case 'create_edge':
      return 'edge_management_self'
    case 'send_handoff':
    case REQUEST_IMPLEMENTATION:
      return null
    default:
      return `tool:${name}`
  }
}

/** Judges the text of the path alone. The tool that opens the file resolves links. */
export function isDocsPath(path: Json | undefined): boolean {
  if (typeof path !== 'string' || /^([\\/]|[A-Za-z]:)/.test(path)) return false
  const parts = path.split(/[\\/]/).filter(part => part !== '' && part !== '.')
  return parts[0] === 'docs' && !parts.includes('..')
}

/** A change of the graph needs approval, unless the run's orchestrator is exempt. */
export const changesGraph = (name: string): boolean => name === 'spawn_node' || name === 'create_edge'
