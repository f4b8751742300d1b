// Functions of an application as tools: bound, offered to models and granted, because the application names them. A denial in the policy file still wins.

import type { Json } from '../core/digest/digest.ts'
import type { JsonObject } from '../core/digest/is-object.ts'
import type { Grant } from '../core/gate/grants.ts'
import type { HostPolicy } from '../core/gate/host-policy.ts'
import { Fault } from '../errors.ts'
import type { Binding, BoundCall } from '../ports.ts'

export interface FunctionTool {
  readonly name: string
  /** For the model: what the tool does, and when to use it. */
  readonly description: string
  /** JSON Schema of the input. Calls that do not fit it are refused before the function runs. */
  readonly inputSchema: JsonObject
  /** A person has to approve every call. */
  readonly approval?: boolean
  /** Calling it twice has the same effect as once: a host that restarts may call it again. */
  readonly repeatable?: boolean
  /** The model receives the result. An error that the function throws goes to the model as a failed call. */
  run(input: Json, call: Omit<BoundCall, 'arguments'>, signal: AbortSignal): Promise<Json> | Json
}

export function functionBinding({ name, description, inputSchema, repeatable = false, run }: FunctionTool): Binding {
  return {
    descriptor: { name, description, inputSchema },
    repeatable,
    async run({ arguments: input, ...call }, signal) {
      try {
        return await run(input, call, signal)
      } catch (error) {
        if (error instanceof Fault) throw error
        throw new Fault('tool_error', { tool: name, said: error instanceof Error ? error.message : String(error) }, { cause: error })
      }
    },
  }
}

/** The policy of the operator, with the tools of the application offered and granted. */
export function withFunctionTools(policy: HostPolicy, tools: readonly FunctionTool[]): HostPolicy {
  if (tools.length === 0) return policy
  const granted = (approval: boolean): readonly Grant[] => {
    const names = tools.filter(tool => (tool.approval === true) === approval).map(({ name }) => name)
    return names.length === 0 ? [] : [{ tools: names, ...(approval ? { approval } : {}) }]
  }
  return {
    ...policy,
    grants: [...policy.grants, ...granted(false), ...granted(true)],
    offer: [...policy.offer, ...tools.map(({ name }) => name)],
  }
}
