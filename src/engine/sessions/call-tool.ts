// One tool call: judged, put on record as started, done, and told to the model. Nothing runs that the gate has not let through.
import { canonicalJson, digestText, type Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { authorize, type GateFacts, type Verdict } from '../../core/gate/authorize.ts'
import { grantOf } from '../../core/gate/grants.ts'
import { writeMessage } from '../../core/messages/message.ts'
import { inOurDraft } from '../../core/schema/older-drafts.ts'
import { pointerText } from '../../core/schema/pointer.ts'
import { collectSchemas } from '../../core/schema/schemas.ts'
import type { CallStatus, ToolCall } from '../../core/session/events.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import type { Descriptor } from '../../core/tools/catalog.ts'
import { Fault } from '../../errors.ts'
import type { Binding, Validator } from '../../ports.ts'
import { loadSession } from './load.ts'
import { buildCall } from './model-call.ts'
import { type NodeGate, type Performing, STOPPING } from './performing.ts'
import { partOf, toolCallsIn } from './read-reply.ts'

type ToolCallEffect = Extract<SessionEffect, { readonly type: 'tool.call' }>

/** What a tool may say to the model. */
const MOST_OUTPUT = 256 * 1024

export async function callTool(performing: Performing, effect: ToolCallEffect): Promise<void> {
  const { parts, place, signal, send } = performing
  const { run, batch, call, again, epoch, stepEpoch } = effect
  const given = JSON.parse(new TextDecoder().decode(await parts.store.object(place.tenant, call.arguments))) as Json
  const verdict = authorize({ name: call.name, arguments: given }, await factsOf(performing, call, given))
  const { refusal } = await send({ type: 'judgeCall', run, batch, call: call.id, verdict, again })
  const done = refusal === null ? await outcomeOf(performing, verdict, call, given) : CANCELLED
  if (signal.reason === STOPPING) return
  await settleCall(performing, { run, batch, call, epoch, stepEpoch }, done)
}

/** The run was cancelled before its turn came. */
const CANCELLED: Done = { outcome: { status: 'cancelled' }, output: { error: 'the run was cancelled' } }
export const INTERRUPTED: Done = {
  outcome: { status: 'interrupted' },
  output: { error: 'the host stopped while this was done; whether it was done is not known, and it is not done again' },
}

async function outcomeOf(performing: Performing, verdict: Verdict, { name }: ToolCall, given: Json): Promise<Done> {
  const binding = performing.parts.bindings.get(name)
  if (verdict.decision === 'allowed' && binding !== undefined) return perform(performing, binding, given)
  const reason = reasonIn(verdict)
  return { outcome: { status: 'failed', code: 'tool_refused', detail: reason }, output: { error: reason } }
}

export type Telling = Pick<Performing, 'parts' | 'place' | 'send'>

/** Which call it was, and what the session was at when it was made. */
export type SettledCall = Omit<ToolCallEffect, 'type' | 'again'>

export async function settleCall(performing: Telling, { call, ...of }: SettledCall, { outcome, output }: Done): Promise<void> {
  const { parts, place, send } = performing
  const { state } = await loadSession(parts.store, place.tenant, place.session)
  const reply = state.run?.step?.reply ?? null
  const asked = reply === null ? undefined : partOf(await toolCallsIn(parts.store, place.tenant, reply), call)
  const message = resultMessage(asked?.callId ?? call.id, call.name, outcome, output)
  await send(
    { type: 'settleCall', ...of, call: call.id, outcome, result: digestText(message) },
    { objects: [new TextEncoder().encode(message)] },
  )
}

const reasonIn = ({ conditions }: Verdict): string => conditions.find(({ outcome }) => outcome === 'failed')?.reason ?? 'it is not allowed'

async function factsOf({ parts, place }: Performing, call: ToolCall, given: Json): Promise<GateFacts> {
  const { state } = await loadSession(parts.store, place.tenant, place.session)
  const request = state.run?.step?.request
  const built = request === undefined ? null : await buildCall(parts.store, place.tenant, request)
  const descriptor = built?.ok === true ? built.call.tools.find(({ name }) => name === call.name) : undefined
  const node = state.run?.node ?? null
  const { agent, free, ...gate } = node === null || parts.graph === undefined ? ALONE : await parts.graph.gate(place, node)
  const question = {
    tool: call.name,
    tenant: place.tenant,
    agent: agent ?? state.home?.session ?? place.session,
    role: gate.role?.name ?? null,
  }
  return {
    problem: await problemWith(parts.validator, descriptor, given),
    visible: descriptor !== undefined,
    bound: parts.bindings.has(call.name),
    grant: free.includes(call.name) ? FREE : grantOf(parts.grants, question),
    ...gate,
    allowListed: false,
    ownEdge: false,
    approval: 'unasked',
  }
}

/** A session that works for no graph has no role, no node and no mode. */
const ALONE: NodeGate = { agent: null, free: [], role: null, node: null, mode: null, orchestratorAsks: true }

const FREE = { granted: true, reason: 'it only asks a person', approval: false }

const SCHEMA = 'https://onbook.dev/tool'

/** Foreign schemas are foreign code: they are judged where they can be stopped. */
async function problemWith(validator: Validator, descriptor: Descriptor | undefined, given: Json): Promise<string | null> {
  if (!isObject(given)) return 'its arguments must be a JSON object'
  if (descriptor === undefined) return null
  const ours = inOurDraft(descriptor.inputSchema)
  if (!ours.ok) return `its descriptor cannot be used: ${ours.message}`
  const { schemas } = collectSchemas([{ path: descriptor.name, schema: { ...ours.schema, $id: SCHEMA } }])
  const [verdict] = await validator.ask(schemas, [{ schema: SCHEMA, instance: given }])
  if (verdict === undefined || verdict.outcome === 'unusable')
    return `its descriptor cannot be used: ${verdict?.message ?? 'it is too deep'}`
  if (verdict.outcome === 'valid') return null
  return verdict.mismatches
    .map(({ pointer, message }) => `${pointer.length === 0 ? 'the arguments' : pointerText(pointer)} ${message}`)
    .join('; ')
}

export interface Done {
  readonly outcome: CallStatus
  readonly output: Json
}

async function perform({ parts, place, signal }: Performing, binding: Binding, given: Json): Promise<Done> {
  const failed = (code: string, detail: string): Done => ({ outcome: { status: 'failed', code, detail }, output: { error: detail } })
  try {
    const output = await binding.run({ tenant: place.tenant, session: place.session, arguments: given }, signal)
    if (canonicalJson(output).length > MOST_OUTPUT)
      return failed('tool_output_too_large', `it answered with more than ${MOST_OUTPUT} characters`)
    return { outcome: { status: 'succeeded' }, output }
  } catch (error) {
    if (signal.aborted) return failed('tool_cancelled', 'it was stopped')
    if (error instanceof Fault) return failed(error.code, error.message)
    parts.failed(error as Error, place)
    return failed('tool_failed', 'it failed; the host has written down how')
  }
}

function resultMessage(callId: string, toolName: string, { status }: CallStatus, output: Json): string {
  const isError = status !== 'succeeded'
  return writeMessage({
    role: 'tool',
    content: [{ type: 'tool_result', callId, toolName, output, ...(isError ? { isError } : {}) }],
  })
}
