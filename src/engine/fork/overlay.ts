// Applies the changes of a branch: other prompts, another model, another mode, an added text; other inputs before anything has begun.
// Everything else stays as the source froze it.
import type { Mode } from '../../core/compose/mode.ts'
import { canonicalJson, type Digest, type Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import { readPromptRef, refText } from '../../core/resolve/prompt-ref.ts'
import { decideRun, type RunCommand } from '../../core/run/decide.ts'
import { draftRun, emitRun, type RunDraft } from '../../core/run/draft.ts'
import { type FrozenLookup, refKey } from '../../core/run/frozen.ts'
import { emptyRun } from '../../core/run/state.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import { Fault } from '../../errors.ts'
import type { Store, Validator } from '../../ports.ts'
import { checkConfigurable } from '../runs/start/check-configurable.ts'
import { checkInputs } from '../runs/start/create.ts'
import { DIALECT, loadFrozen, lookupNow, resolveRequest } from '../runs/start/frozen.ts'
import { type Keeper, keeper } from '../turns/keep.ts'
import { configurableOf, promptOverrides } from '../turns/step-parts.ts'
import { validatorOf } from '../work/fair-validator.ts'
import type { Overlaid } from './create.ts'

export interface ForkOverlay {
  readonly configurable?: JsonObject
  readonly model?: { readonly provider: string; readonly model: string }
  readonly mode?: Mode
  /** For every node that has none of its own. */
  readonly override?: string
  readonly inputs?: JsonObject
}

/** @param draft the events that the branch took over */
export async function overlaid(
  store: Store,
  tenant: string,
  validator: Validator,
  overlay: ForkOverlay,
  draft: RunDraft,
): Promise<Overlaid> {
  const kept = keeper()
  const asked = overlay.inputs === undefined ? draft : await withInputs(store, tenant, overlay.inputs, draft, kept)
  const world = await withWorld(store, tenant, validator, overlay, asked, kept)
  const { workflow } = await loadFrozen(store, tenant, draft.state.frozen!)
  const { mode, override } = overlay
  const text = override === undefined ? null : kept.keep(canonicalJson({ text: override }))
  const commands: readonly RunCommand[] = [
    ...(mode === undefined ? [] : [{ type: 'setMode', mode } as const]),
    ...(text === null ? [] : [{ type: 'giveOverride', nodeId: null, text } as const]),
  ]
  const done = commands.reduce((next, command) => {
    const ruling = decideRun(next, workflow, command)
    if ('events' in ruling) return ruling
    throw new Fault('fork_refused', { runId: draft.state.forkOf!.runId, problem: ruling.message })
  }, world)
  return { draft: done, objects: kept.texts().map(one => new TextEncoder().encode(one.text)) }
}

async function withInputs(store: Store, tenant: string, inputs: JsonObject, draft: RunDraft, { keep }: Keeper): Promise<RunDraft> {
  if (Object.keys(draft.state.nodes).length > 0)
    throw new Fault('validation_error', {
      problem: 'runOptionsOverlay.inputs can be given only to a branch from before the first node; branch from sequence 0',
    })
  checkInputs((await loadFrozen(store, tenant, draft.state.frozen!)).workflow, inputs)
  const given = keep(canonicalJson({ inputs } as unknown as Json))
  return emitRun(draftRun(emptyRun), ...draft.events.map(event => (event.type === 'run.created' ? { ...event, inputs: given } : event)))
}

async function withWorld(
  store: Store,
  tenant: string,
  validator: Validator,
  { configurable, model }: ForkOverlay,
  draft: RunDraft,
  { keep, keepAs }: Keeper,
): Promise<RunDraft> {
  if (configurable === undefined && model === undefined) return draft
  const { state } = draft
  const frozen = await loadFrozen(store, tenant, state.frozen!)
  const was = await configurableOf({ store, tenant, run: { state } })
  const given = configurable?.promptOverrides
  const now: JsonObject = {
    ...was,
    ...configurable,
    ...(isObject(given) ? { promptOverrides: { ...promptOverrides(was), ...given } as JsonObject } : {}),
  }
  await checkConfigurable(validatorOf(validator, tenant), frozen.workflow, now)
  const workflow: Workflow =
    model === undefined
      ? frozen.workflow
      : { ...frozen.workflow, nodes: frozen.workflow.nodes.map(node => ({ ...node, model: { ...node.model, ...model } })) }

  const requests = workflow.nodes.map(node => resolveRequest({ ...frozen, workflow }, node, promptOverrides(now)))
  const found = await lookupNow(store, tenant, requests, keepAs)
  checkFound(state.forkOf!.runId, configurable?.promptOverrides, { ...found.found, ...frozen.lookup.found })
  // Versions that the source froze take precedence over current ones.
  const { host, ...rest } = found
  const added = frozen.lookup.host === undefined ? rest : { ...rest, host }
  const lookup = keep(canonicalJson({ $node: 'lookup', ...added } as unknown as Json))
  const stored = JSON.parse(new TextDecoder().decode(await store.object(tenant, state.frozen!))) as { readonly lookup: readonly Digest[] }
  const node = { ...stored, workflow: keep(canonicalJson(workflow as unknown as Json)), lookup: [lookup, ...stored.lookup] }
  const event = {
    type: 'run.overlaid',
    frozen: keep(canonicalJson(node as unknown as Json)),
    configurable: keep(canonicalJson({ configurable: now } as unknown as Json)),
  } as const
  return emitRun(draft, event)
}

/** A branch with a template asks about that template: without the template it cannot go on. */
function checkFound(runId: string, given: Json | undefined, found: FrozenLookup['found']): void {
  for (const value of Object.values(isObject(given) ? given : {})) {
    const read = readPromptRef(value, DIALECT)
    if (!read.ok) continue
    const { status } = found[refKey(read.ref)] ?? { status: 'missing' }
    if (status === 'found') continue
    const problem =
      status === 'missing' ? `there is no ${refText(read.ref)} to override with` : `${refText(read.ref)} is in several libraries: name one`
    throw new Fault('fork_refused', { runId, problem })
  }
}
