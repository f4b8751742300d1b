// Collects the facts for the verdict on a tool call: its form, the tools that the model saw, bindings, grants, and a person's answer.
// Decides nothing.
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import type { GateFacts } from '../../core/gate/authorize.ts'
import { FREE, type Granting, grantOfAll, isListed } from '../../core/gate/grants.ts'
import { USUAL_RULES } from '../../core/gate/rules.ts'
import { inOurDraft } from '../../core/schema/older-drafts.ts'
import { pointerText } from '../../core/schema/pointer.ts'
import { collectSchemas } from '../../core/schema/schemas.ts'
import { isPlanningCommand } from '../../core/tools/allow-listed.ts'
import type { Descriptor } from '../../core/tools/catalog.ts'
import { isGraphTool } from '../../core/tools/graph-descriptors.ts'
import type { CallApproval } from '../../core/turn/state.ts'
import type { Binding, Validator } from '../../ports.ts'
import { bindingFor, unadopted } from '../tools/bound.ts'
import { validatorOf } from '../work/fair-validator.ts'
import { scrubbedRemark } from './done.ts'
import { buildCall } from './model-call.ts'
import type { AtWork, NodeGate, TurnParts, TurnPlace } from './performing.ts'

export interface JudgedCall {
  readonly name: string
  /** As they would be used: a person may have changed them. */
  readonly arguments: Json
  readonly approval: CallApproval | null
}

/** `granting`: who may answer, if a person must approve. */
export interface KnownFacts {
  readonly facts: GateFacts
  readonly granting: Granting
  /** The binding that was judged: another may be bound by the time of the call. */
  readonly binding: Binding | undefined
}

/** @param gate the gate's facts about the node, and about the graph if the tool changes it */
export async function gateFacts(
  parts: TurnParts,
  tenant: string,
  { turn }: Pick<AtWork, 'turn'>,
  { agent, onBehalfOf, mustAsk, free, problem, ...gate }: NodeGate,
  { name, arguments: given, approval }: JudgedCall,
  signal?: AbortSignal,
): Promise<KnownFacts> {
  const request = turn.step?.request
  const built = request === undefined ? null : await buildCall(parts.store, tenant, request)
  const descriptor = built?.ok === true ? built.call.tools.find(tool => tool.name === name) : undefined
  const question = {
    tool: name,
    tenant,
    agent,
    role: gate.role?.name ?? null,
    mode: gate.mode,
    arguments: given,
  }
  const granting = free.includes(name) ? FREE : grantOfAll(parts.grants, question, onBehalfOf)
  const { planningCommands, orchestratorAsks } = parts.rules ?? USUAL_RULES
  const isOfGraph = isGraphTool(name)
  const binding = isOfGraph ? undefined : await bindingFor(parts, tenant, name)
  const unseen = binding === undefined ? unadopted(parts, tenant, name) : undefined
  const bound = isOfGraph ? { bound: gate.node !== null } : await boundFacts(binding, descriptor, given, signal)
  // The schema belongs to the tenant, and may be slow: it is not run for a call that is refused without it.
  const unchecked = descriptor !== undefined && !(bound.bound && granting.granted)
  const validator = validatorOf(parts.validator, tenant)
  const facts: GateFacts = {
    problem: (await problemOfCall(validator, unchecked ? undefined : descriptor, binding?.descriptor, given)) ?? problem,
    unchecked,
    visible: descriptor !== undefined,
    ...(unseen === undefined ? {} : { unseen }),
    ...bound,
    grant: { ...granting, approval: granting.approval !== null },
    reads: onlyReads(binding),
    ...gate,
    orchestratorAsks: orchestratorAsks || mustAsk,
    allowListed: isPlanningCommand(given, planningCommands),
    approval: answerOf(approval, granting),
  }
  return { facts, granting, binding }
}

/** A verdict is recorded with quotes of untrusted text. Scrub before truncating: half a secret would not be recognized. */
export async function scrubbedFacts(parts: TurnParts, place: TurnPlace, facts: GateFacts): Promise<GateFacts> {
  const clean = async (said: string): Promise<string> => {
    try {
      return await scrubbedRemark(parts, place.tenant, said)
    } catch (error) {
      parts.failed(error as Error, place)
      return 'why is not shown: the host could not take secrets out of it'
    }
  }
  const { problem, unbound } = facts
  return {
    ...facts,
    problem: problem === null ? null : await clean(problem),
    ...(unbound === undefined ? {} : { unbound: await clean(unbound) }),
  }
}

export const onlyReads = (binding: Binding | undefined): boolean => binding?.reads === true || binding?.confirmedReading === true

/** Checked against the current policy and the current call: the person who approved one call may not be allowed to approve another. */
export function answerOf(approval: CallApproval | null, { approval: asking }: Granting): GateFacts['approval'] {
  if (approval === null || approval.decision === null) return 'unasked'
  if (approval.decision !== 'approved') return approval.decision
  return isListed(asking?.by ?? undefined, approval.answeredBy) ? 'approved' : 'foreign'
}

/** A tool that the model did not see is not looked up: its server may have to be started. */
async function boundFacts(
  binding: Binding | undefined,
  shown: Descriptor | undefined,
  given: Json,
  signal: AbortSignal | undefined,
): Promise<Pick<GateFacts, 'bound' | 'unbound'>> {
  const refused = await binding?.refuses?.({ arguments: given })
  if (refused != null) return { bound: false, unbound: refused }
  if (binding?.unbound === undefined || shown === undefined) return { bound: binding !== undefined }
  // The model and the approver relied on the descriptor that was shown: another may have been adopted since.
  const isShown = canonicalJson(shown as unknown as Json) === canonicalJson(binding.descriptor as unknown as Json)
  const unbound = isShown ? await binding.unbound(signal) : `${shown.name} was shown otherwise than it is adopted by now`
  return unbound === null ? { bound: true } : { bound: false, unbound }
}

const SCHEMA = 'https://onbook.dev/tool'

/**
 * Arguments must fit the descriptor that the model was shown and the binding's own. A workspace writes the first: it can narrow what reaches
 * the binding, never widen it.
 */
export async function problemOfCall(
  validator: Pick<Validator, 'ask'>,
  shown: Descriptor | undefined,
  bound: Descriptor | undefined,
  given: Json,
): Promise<string | null> {
  const isSame = shown !== undefined && bound !== undefined && canonicalJson(shown.inputSchema) === canonicalJson(bound.inputSchema)
  const byShown = await problemWith(validator, shown, given)
  if (byShown !== null) return isSame || bound === undefined ? byShown : `by the schema that the model was shown, ${byShown}`
  if (shown === undefined || bound === undefined || isSame) return null
  const byBound = await problemWith(validator, bound, given)
  return byBound === null ? null : `by the schema of the host's own tool, which the catalog shows otherwise, ${byBound}`
}

/** Foreign schemas are foreign code: they are judged where they can be stopped. */
export async function problemWith(
  validator: Pick<Validator, 'ask'>,
  descriptor: Descriptor | undefined,
  given: Json,
): Promise<string | null> {
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
