// The descriptors of the three tools that change the graph of a run, as the model gets them. A descriptor grants nothing
// and runs nothing.
import type { JsonObject } from '../digest/is-object.ts'
import type { Descriptor } from './catalog.ts'

export const GRAPH_TOOLS = ['spawn_node', 'create_edge', 'send_handoff'] as const
export type GraphTool = (typeof GRAPH_TOOLS)[number]

export const isGraphTool = (name: string): name is GraphTool => (GRAPH_TOOLS as readonly string[]).includes(name)

const DAY_MS = 24 * 60 * 60 * 1000
/** The default timeout for a reply. */
export const USUAL_REPLY_MS = 10 * 60 * 1000

const text = (maxLength: number, description: string): JsonObject => ({ type: 'string', maxLength, description })
const flag = (description: string): JsonObject => ({ type: 'boolean', description })
const oneOf = (words: readonly string[], description: string): JsonObject => ({ type: 'string', enum: [...words], description })
const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required: [...required],
  additionalProperties: false,
})
/** Plain JSON of the sender's own making. */
const data = (description: string): JsonObject => ({ type: 'object', description })

const tool = (name: GraphTool, description: string, inputSchema: JsonObject): Descriptor => ({ name, description, inputSchema })
const NODE = (what: string): JsonObject => text(256, `${what}: the id of a node, or its alias.`)

export const GRAPH_DESCRIPTORS: Readonly<Record<GraphTool, Descriptor>> = {
  spawn_node: tool(
    'spawn_node',
    'Adds a node to this run, which starts at once. It may do at most what you may do. It can write to you only along an edge: make one with create_edge.',
    object(
      {
        label: text(1000, 'What people call it: one line of at most 120 characters.'),
        alias: text(200, 'A short name for create_edge and send_handoff, also later in this reply: letters, digits, "-" and "_".'),
        roleTemplate: text(200, 'The role it works in.'),
        instructions: text(100_000, 'What it is to do: its first handoff.'),
        input: data('What it is to work on: handed over with the instructions.'),
        provider: text(200, 'One that this run uses; yours when left out.'),
        capabilities: object({
          edgeManagement: oneOf(['none', 'self', 'all'], 'Which edges it may make; nodes only with all.'),
          writeCode: flag('Whether it may edit code.'),
          writeDocs: flag('Whether it may write docs.'),
          runCommands: flag('Whether it may run commands.'),
          delegateOnly: flag('Whether it only delegates.'),
        }),
        permissions: object({
          cliPermissionsMode: oneOf(['skip', 'gated'], 'gated: a person is asked about every call.'),
          agentManagementRequiresApproval: flag('Whether a person is asked when it changes the graph.'),
        }),
        session: object({ resume: { const: true, description: 'A node keeps its session for the whole run.' } }),
        customSystemPrompt: text(100_000, 'What it is told in place of the text of its role. It may do no more for that.'),
      },
      ['label', 'roleTemplate'],
    ),
  ),
  create_edge: tool(
    'create_edge',
    'Makes an edge, along which handoffs can be sent. It holds no node back.',
    object(
      {
        from: NODE('Where it begins'),
        to: NODE('Where it ends'),
        bidirectional: flag('Whether it can be used both ways; true when left out.'),
        type: oneOf(['handoff', 'report'], 'handoff when left out.'),
        label: text(120, 'For people; task or report when left out.'),
      },
      ['from', 'to'],
    ),
  ),
  send_handoff: tool(
    'send_handoff',
    'Sends a message to a node that an edge leads to. One that is at work reads it at its next step; one that has ended starts again for it.',
    object(
      {
        to: NODE('Who it is for'),
        message: text(100_000, 'What you have to say.'),
        structured: data('Data that belongs to it.'),
        artifacts: {
          type: 'array',
          maxItems: 100,
          items: object({ type: text(100, 'What it is.'), ref: text(4096, 'Where it is.') }, ['type', 'ref']),
        },
        status: object({ ok: flag('Whether what was asked for is done.'), reason: text(4096, 'Why not.') }, ['ok']),
        response: object(
          {
            expectation: oneOf(['none', 'optional', 'required'], 'required: you wait here for the reply, which is what this call returns.'),
            replyTo: NODE('Who the reply is for; you when left out. Nobody waits for a reply to somebody else'),
            timeoutMs: { type: 'integer', minimum: 1, maximum: DAY_MS, description: 'How long to wait; ten minutes when left out.' },
          },
          ['expectation'],
        ),
        contextRef: text(4096, 'What it is about.'),
      },
      ['to', 'message'],
    ),
  ),
}
