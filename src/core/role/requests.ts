// The capabilities that a role may request, in the terms of the gate. A request grants nothing.
import { type Capability, capabilityOf } from '../gate/capability.ts'
import { nearest } from '../pack/nearest.ts'
import { shown } from '../resolve/prompt-ref.ts'

const BUILT_IN: Readonly<Record<Exclude<Capability, `tool:${string}`>, true>> = {
  run_commands: true,
  read_repo: true,
  edit_code: true,
  write_docs: true,
  edge_management_self: true,
  edge_management_all: true,
}
const TOOL = 'tool:'
const TOOL_NAME = /^[^\s\p{Cc}]{1,128}$/u
/** Names that role files of other products use for the same capabilities. */
const FOREIGN: ReadonlyMap<string, Capability> = new Map<string, Capability>([
  ['spawn_nodes', 'edge_management_all'],
  ['write_tests', 'edit_code'],
])

export type ReadRequest =
  | { readonly ok: true; readonly request: Capability }
  | { readonly ok: false; readonly message: string; readonly suggestion?: string }

export function readRequest(text: string): ReadRequest {
  if (Object.hasOwn(BUILT_IN, text)) return { ok: true, request: text as Capability }
  if (text.startsWith(TOOL)) return readToolRequest(text.slice(TOOL.length))
  const meant = FOREIGN.get(text) ?? nearest(text, Object.keys(BUILT_IN))
  return {
    ok: false,
    message: `The gate knows no request "${shown(text)}": it asks for nothing`,
    suggestion: meant === null ? `request one of ${Object.keys(BUILT_IN).join(', ')}, or tool:<name>` : `write "${meant}"`,
  }
}

/** The gate never needs a built-in tool by its name. */
function readToolRequest(name: string): ReadRequest {
  if (!TOOL_NAME.test(name)) return { ok: false, message: 'The name of a tool must follow "tool:", without spaces' }
  if (name.includes('*'))
    return {
      ok: false,
      message: `"tool:${shown(name)}" names no tool: a request has no pattern, and this asks for nothing`,
      suggestion: 'name each tool: tool:<name>',
    }
  const needed = capabilityOf({ name, arguments: null })
  if (needed === `tool:${name}`) return { ok: true, request: needed }
  return {
    ok: false,
    message: `The tool ${name} is built in and not requested by its name: this asks for nothing`,
    suggestion: needed === null ? 'leave it out: it needs no request' : `write "${needed}"`,
  }
}
