// Composes the prompt of one step of a node: every kind resolved, rendered and laid out in five blocks, with everything that the record needs.
import { type ComposedPrompt, composePrompt } from '../../core/compose/blocks.ts'
import { planSending, promptMessages } from '../../core/compose/delta.ts'
import { BLOCKS } from '../../core/compose/parts.ts'
import type { Handoff, TaskPayload } from '../../core/compose/task-payload.ts'
import type { InputRules } from '../../core/compose/verbatim.ts'
import type { Digest } from '../../core/digest/digest.ts'
import type { SnapshotPacks } from '../../core/library/pack-set.ts'
import { type LibraryTemplate, templateText } from '../../core/library/template.ts'
import { writeMessage } from '../../core/messages/message.ts'
import { KINDS, type NodeResolution, resolveNode } from '../../core/resolve/resolve.ts'
import { snapshotLookup } from '../../core/resolve/snapshot-lookup.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { lookupOf } from '../../core/run/frozen.ts'
import { segmentsText } from '../../core/run/reading/stored-segments.ts'
import { toldHash } from '../../core/run/reduce.ts'
import { repeatHash } from '../../core/run/repeat.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import type { PackSchemas } from '../library/pack-schemas.ts'
import { loadSnapshotPacks } from '../library/pack-sets.ts'
import { boundNames } from '../runs/start/check-input.ts'
import { DIALECT, opaqueRefs, resolveRequest } from '../runs/start/frozen.ts'
import { nodeSchemas } from '../runs/start/node-schemas.ts'
import { type Keeper, keeper } from './keep.ts'
import { type NodeValues, readStored } from './node-values.ts'
import { composedEvents, opaqueEvents, opaqueText, tracedEvents } from './prompt-events.ts'
import { inlineFor, overrideOf, overridesOf, type ResolvedTemplate, roleFor, type StepPlace, templatesOf, valuesOf } from './step-parts.ts'
import { composeStyle, taskOf } from './task.ts'

interface Told {
  /** Events before the step: which prompts were chosen, and how they were composed. */
  readonly events: readonly RunEvent[]
  readonly texts: readonly StoredText[]
}

export type ComposedStep =
  | ({ readonly ok: true; readonly system: Digest | null; readonly user: Digest | null; readonly prompt: PromptRecord } & Told)
  | ({ readonly ok: false; readonly code: string; readonly detail: string } & Told)

export async function composeStep(place: StepPlace): Promise<ComposedStep> {
  const { run, frozen, node } = place
  const { state } = run
  const kept = keeper()
  const { keep } = kept
  const overrides = await overridesOf(place)
  const packs = await loadSnapshotPacks(place.store, place.tenant, place.snapshot)
  const lookup = snapshotLookup(lookupOf(frozen.lookup), packs)
  const resolved = resolveNode(resolveRequest(frozen, node, overrides), lookup, KINDS, DIALECT)
  const opaque = opaqueRefs(frozen, node, overrides)
  const traced = frozen.opaqueRefs === true ? opaqueEvents(node.id, resolved, opaque) : tracedEvents(node.id, resolved, keep)
  const refused = (code: string, detail: string): ComposedStep => ({
    ok: false,
    code,
    detail,
    events: untold(place, traced),
    texts: kept.texts(),
  })
  const fault = resolved.resolutions.find(one => one.fault !== null)?.fault ?? null
  if (fault !== null) return refused(fault.code, `${fault.layer}: ${fault.message}`)

  const values = await valuesOf(place)
  const templates = await templatesOf(place, resolved.resolutions, values, keep)
  const handoffs = await handoffsOf(place)
  const task = taskOf(frozen, state, node, { inputs: values.inputs, handoffs })
  const role = roleFor(place)
  const inline = inlineFor(place)
  const style = composeStyle(frozen, node)
  const hasInput = style === 'verbatim' && Object.keys(values.inputs).length > 0
  const hasPrompt = saysWhatIsWanted(task, templates) || role !== null || inline.user !== null
  if (!hasPrompt && opaque.length > 0)
    return refused(
      'prompts_unsupported',
      `${opaqueText(opaque)}; the node has nothing else to send. Give it an inline systemPrompt or userPrompt, or run it on a host with "supported: true"`,
    )
  if (!hasPrompt && !hasInput)
    return refused('task_objective_missing', 'neither the node, nor its workflow, nor its role, nor any prompt says what is wanted')
  const override = await overrideOf(place)
  const input = inputRules(templates, inline.user !== null, values, await packSchemasOf(place, packs, resolved))
  const composed = composePrompt({
    style,
    input,
    shipped: place.shipped,
    tools: place.protocol,
    role,
    mode: state.mode,
    task,
    templates,
    inline,
    override,
  })
  if (!composed.ok) return refused(composed.problems[0]!.code, composed.problems.map(({ message }) => message).join('; '))

  const { prompt } = composed
  const messages = promptMessages(prompt)
  const system = messages.system === null ? null : keep(writeMessage(messages.system))
  const user = messages.user === null ? null : keep(writeMessage(messages.user))
  // The user message enters the history once a turn, and again only when its text changes.
  const isTold = nodeOf(state, node.id).user === user
  const record = recordOf(place, prompt, isTold, kept)
  const made = frozen.opaqueRefs === true ? [] : composedEvents(node.id, prompt, templates, kept)
  const events = untold(place, [...traced, ...made])
  return { ok: true, system, user: isTold ? null : user, prompt: record, events, texts: kept.texts() }
}

/** A value that fills a template is in the prompt already, unless the schema of its pack describes it as input. */
function inputRules(
  templates: readonly ResolvedTemplate[],
  hasUserPrompt: boolean,
  { trust }: NodeValues,
  schemas: PackSchemas | null,
): InputRules {
  const variables = templates.flatMap(({ template }) => template?.variables ?? [])
  const replaced = hasUserPrompt || templates.some(({ kind }) => kind === 'user')
  return { bound: boundNames(schemas, variables), trust, json: schemas !== null, replaced }
}

async function packSchemasOf(
  { store, tenant, frozen, node }: StepPlace,
  snapshot: SnapshotPacks | null,
  { resolutions }: NodeResolution,
): Promise<PackSchemas | null> {
  const digest = nodeSchemas(frozen, node, snapshot, resolutions)
  return digest === null ? null : readStored<PackSchemas>(store, tenant, digest)
}

const saysWhatIsWanted = ({ objective, handoffs }: TaskPayload, templates: readonly unknown[]): boolean =>
  objective !== undefined || handoffs.length > 0 || templates.length > 0

async function handoffsOf({ store, tenant, run, node, handoffs: given }: StepPlace): Promise<readonly Handoff[]> {
  if (given !== undefined) return given
  const { handoffs } = nodeOf(run.state, node.id)
  return handoffs === null ? [] : readStored<readonly Handoff[]>(store, tenant, handoffs)
}

function recordOf(
  { run, node, resumes, prelude, shipped }: StepPlace,
  prompt: ComposedPrompt,
  isTold: boolean,
  { keep, keepAs }: Keeper,
): PromptRecord {
  const { mode } = run.state
  const { headerHash, conversation } = nodeOf(run.state, node.id)
  const sending = planSending(prompt, { resumes, needsReplay: false, headerHash }, prelude)
  for (const { digest, template } of [shipped.system, shipped.calls, shipped.modes[mode]])
    if (prompt.templates.some(used => used.digest === digest)) keepAs(digest, shippedText(template))
  return {
    full: keepAs(prompt.promptHash, prompt.full),
    blocks: Object.fromEntries(
      BLOCKS.filter(block => prompt.blocks[block] !== '').map(block => [block, keepAs(prompt.blockHashes[block]!, prompt.blocks[block])]),
    ) as PromptRecord['blocks'],
    segments: keep(segmentsText(prompt.segments)),
    templates: prompt.templates.map(({ ref, digest, templateHash, kind, layer, block, part }) => ({
      ref,
      template: digest,
      templateHash,
      kind,
      layer,
      block,
      part,
    })),
    mode,
    repeatHash: repeatHash(prompt.segments),
    sent: {
      kind: sending.kind,
      reason: sending.reason,
      text: sending.kind === 'delta' && isTold ? null : sending.kind === 'full' ? prompt.promptHash : keep(sending.text),
      headerHash: sending.headerHash,
      held: sending.kind === 'delta' ? (conversation?.held ?? 0) : 0,
    },
  }
}

const shippedTexts = new WeakMap<LibraryTemplate, string>()

function shippedText(template: LibraryTemplate): string {
  const text = shippedTexts.get(template) ?? templateText(template)
  shippedTexts.set(template, text)
  return text
}

/** Drops prompt events that repeat earlier ones of the same visit. */
function untold({ run, frozen, node }: StepPlace, events: readonly RunEvent[]): readonly RunEvent[] {
  const { told, steps } = nodeOf(run.state, node.id)
  if (frozen.opaqueRefs === true) return steps === 0 ? events : []
  if (told.length === 0) return events
  return events.filter(event => (event.type === 'prompt.traced' || event.type === 'prompt.composed') && !told.includes(toldHash(event)))
}
