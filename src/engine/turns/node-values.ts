// Values for a node's templates, and the node's inputs: from the inputs of the run and the outputs of other nodes. Model output is untrusted.
import type { ValueOrigins, WordSource } from '../../core/blame/word-source.ts'
import type { Sources, Trust } from '../../core/compose/bind.ts'
import type { Handoff } from '../../core/compose/task-payload.ts'
import { canonicalJson, type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import { isSound } from '../../core/messages/content.ts'
import { graphOf, valueAt } from '../../core/run/graph/graph.ts'
import { nodeOf, type RunState } from '../../core/run/state.ts'
import type { Turn } from '../../core/turn/state.ts'
import type { Workflow, WorkflowNode } from '../../core/workflow/workflow.ts'
import type { Store } from '../../ports.ts'
import { rememberedContent } from '../reading/remembered.ts'
import { askedOf } from './asked.ts'

/** A node's output: the text of its last reply, and the parsed value if that text is JSON. */
export interface NodeOutput {
  readonly text: string
  readonly output: Json
}

/** Reads an object that this code stored as one JSON value. */
export const readStored = <T>(store: Store, tenant: string, digest: Digest): Promise<T> =>
  rememberedContent(
    store,
    JSON.stringify(['json', tenant, digest]),
    async () => JSON.parse(new TextDecoder().decode(await store.object(tenant, digest))) as T,
    value => 2 * JSON.stringify(value).length,
  )

export interface NodeValues {
  readonly sources: Sources
  readonly trust: Readonly<Record<string, Trust>>
  /** Values that the task shows: the inputs of the run, and the ports of the node. */
  readonly inputs: JsonObject
  readonly origins: ValueOrigins
}

interface Place {
  readonly store: Store
  readonly tenant: string
  readonly state: RunState
  readonly workflow: Workflow
}

export async function nodeValues(place: Place, node: WorkflowNode, context: JsonObject): Promise<NodeValues> {
  const { store, tenant, state, workflow } = place
  const { inputs } = await readStored<{ readonly inputs: JsonObject }>(store, tenant, state.inputs!)
  const variables: Record<string, Json> = {}
  const trust: Record<string, Trust> = {}
  const origins: { readonly variables: Record<string, WordSource>; readonly inputs: Record<string, WordSource> } = {
    variables: {},
    inputs: {},
  }
  for (const { name, defaultValue, trust: declared } of workflow.variables) {
    const value = Object.hasOwn(inputs, name) ? inputs[name]! : defaultValue
    if (value !== null) put(variables, name, value)
    put(origins.variables, name, Object.hasOwn(inputs, name) ? { from: 'input', name } : { from: 'workflow', name: workflow.id })
    if (declared === 'untrusted') put(trust, name, declared)
  }
  const input: Record<string, Json> = { ...inputs, ...variables }
  const fill = (name: string, value: Json | undefined, from: Trust, origin: WordSource): void => {
    if (value === undefined) return
    put(input, name, value)
    put(origins.inputs, name, origin)
    if (from === 'untrusted') put(trust, name, from)
  }
  for (const [name, port] of Object.entries(node.inputs)) {
    if (port.type === 'static') fill(name, port.value, 'trusted', { from: 'node', name: node.id })
    else if (port.type === 'variable')
      fill(name, own(variables, port.variable), own(trust, port.variable) ?? 'trusted', own(origins.variables, port.variable)!)
    else fill(name, await outputAt(place, port.node, port.output), 'untrusted', { from: 'output', name: port.node })
  }
  for (const edge of graphOf(workflow).to.get(node.id) ?? [])
    if (edge.input !== null)
      fill(edge.input, await outputAt(place, edge.from, edge.output), 'untrusted', { from: 'output', name: edge.from })
  const secret = isObject(node.config.secrets) ? node.config.secrets : {}
  return { sources: { input, variable: variables, context, secret }, trust, inputs: input, origins }
}

const own = <T>(values: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Any name may be a key, `__proto__` too. */
const put = <T>(into: Record<string, T>, name: string, value: T): void => {
  Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true })
}

async function outputAt({ store, tenant, state }: Place, nodeId: string, path: string): Promise<Json | undefined> {
  const { output } = nodeOf(state, nodeId)
  if (output === null) return undefined
  const given = await readStored<NodeOutput>(store, tenant, output)
  return path === 'output' ? given.output : valueAt(given.output, path.replace(/^output\./, ''))
}

/** Along every edge that let something through, in the order of the workflow. */
export async function handoffsTo({ store, tenant, state, workflow }: Place, nodeId: string): Promise<readonly Handoff[]> {
  const handoffs: Handoff[] = []
  for (const edge of workflow.edges) {
    const source = nodeOf(state, edge.from)
    if (edge.to !== nodeId || source.status !== 'completed' || source.output === null || !source.edges.includes(edge.id)) continue
    if (edge.repeats !== null && !state.again.includes(nodeId)) continue
    const { text } = await readStored<NodeOutput>(store, tenant, source.output)
    handoffs.push({
      from: edge.from,
      message: text,
      artifacts: [{ type: 'report', ref: `output of ${edge.from}`, digest: source.output }],
      ...(edge.contextPacks.length === 0 ? {} : { contextPacks: edge.contextPacks }),
    })
  }
  return handoffs
}

/** A reply that is one JSON object or list, fenced or not, is parsed, unless it could not be serialized again. */
export function outputOf(text: string): NodeOutput {
  const bare = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text
  try {
    const value = JSON.parse(bare) as Json
    return { text, output: typeof value === 'object' && value !== null && isSound(value) ? value : text }
  } catch {
    return { text, output: text }
  }
}

/** The output of a turn that ends with its last reply, with the object to store; null without a reply. */
export async function outputIn(
  store: Store,
  tenant: string,
  { step }: Turn,
): Promise<{ readonly output: { readonly digest: Digest; readonly value: Json }; readonly objects: readonly Uint8Array[] } | null> {
  if (step === null || step.reply === null) return null
  const read = (digest: Digest) => store.object(tenant, digest)
  const given = outputOf((await askedOf(read, step.request, await read(step.reply))).last)
  const text = canonicalJson(given as unknown as Json)
  return { output: { digest: digestText(text), value: given.output }, objects: [new TextEncoder().encode(text)] }
}
