// A tool that every node has while its run plans: asks a person to switch the run to implementation. Nothing changes before the person agrees.
import { isObject } from '../../core/digest/is-object.ts'
import { REQUEST_IMPLEMENTATION } from '../../core/gate/capability.ts'
import type { NodeOfRun } from '../../core/session/events.ts'
import type { Descriptor } from '../../core/tools/catalog.ts'
import type { Binding } from '../../ports.ts'

export const REQUEST_DESCRIPTOR: Descriptor = {
  name: REQUEST_IMPLEMENTATION,
  description:
    'Ask a person to change the run from PLANNING to IMPLEMENTATION. Returns at once; go on planning until the mode has changed.',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['reason'],
    properties: { reason: { type: 'string', minLength: 1, maxLength: 2000, description: 'What would change, and why.' } },
  },
}

/** @param ask the id of the approval, which a node that asks twice gets again */
export const requestImplementation = (ask: (tenant: string, node: NodeOfRun, reason: string) => Promise<string | null>): Binding => ({
  descriptor: REQUEST_DESCRIPTOR,
  repeatable: true,
  reads: true,
  async run({ tenant, runId, nodeId, arguments: given }) {
    const reason = isObject(given) ? String(given.reason) : ''
    const approval = await ask(tenant, { runId, nodeId }, reason)
    return approval === null ? { asked: false, mode: 'implementation' } : { asked: true, approval }
  },
})
