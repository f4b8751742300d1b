// A run is accepted: its workflow, agents, roles and inputs are frozen, and all of it is on record before anybody is told so.
import type { Mode } from '../../core/compose/mode.ts'
import { type Digest, tryCanonicalJson } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { typeName } from '../../core/pack/type-name.ts'
import { beginRun, draftRun, emitRun } from '../../core/run/decide.ts'
import type { RunEvent } from '../../core/run/events.ts'
import { emptyRun } from '../../core/run/state.ts'
import type { RunWarning } from '../../core/run/warning.ts'
import type { Budget, Workflow } from '../../core/workflow/workflow.ts'
import { Fault } from '../../errors.ts'
import type { Commit, Store, Validator } from '../../ports.ts'
import { checkPackInputs } from './check-input.ts'
import { freeze, type RunWorld } from './frozen.ts'
import { keeper } from './keep.ts'
import type { LoadedRun } from './load.ts'
import { promptOverrides } from './step-parts.ts'
import { type RunChange, type RunPlace, writeRun } from './write-run.ts'

export interface CreateRun {
  readonly workflow: Workflow
  readonly inputs?: JsonObject
  readonly configurable?: JsonObject | null
  readonly metadata?: JsonObject | null
  readonly tags?: readonly string[]
  readonly mode?: Mode
  readonly budget?: Partial<Budget>
  /** What somebody adds for every node at the last minute. */
  readonly override?: string
  readonly idempotency?: (warnings: readonly RunWarning[]) => Commit['idempotency'] | undefined
}

const MOST_DEPTH = 200

export interface CreatedRun {
  readonly run: LoadedRun
  readonly events: readonly RunEvent[]
  readonly replayed: boolean
  readonly warnings: readonly RunWarning[]
}

/** @param validator judges inputs by the schemas of packs; null where nothing is judged */
export async function createRun(
  store: Store,
  place: RunPlace,
  request: CreateRun,
  world: RunWorld,
  owner: string,
  validator: Validator | null = null,
): Promise<CreatedRun> {
  const { workflow, inputs = {}, configurable = null, metadata = null, tags = [], mode = workflow.mode, override } = request
  const { tenant, runId } = place
  checkInputs(workflow, inputs)
  const frozen = await freeze(store, tenant, workflow, world, promptOverrides(configurable ?? {}), mode)
  const misfits = validator === null ? [] : await checkPackInputs(validator, workflow, inputs, frozen.packs)
  const warnings = [...frozen.warnings, ...misfits]
  const { keep, texts } = keeper()
  // Each in an object of ours, so that no content is taken for a node.
  const json = (value: JsonObject): Digest => {
    const text = tryCanonicalJson(value, MOST_DEPTH)
    if (text === null)
      throw new Fault('validation_error', {
        problem: `${Object.keys(value)[0]} is not plain JSON in valid Unicode, at most ${MOST_DEPTH} deep`,
      })
    return keep(text)
  }
  const created: RunEvent = {
    type: 'run.created',
    runId,
    workflowId: workflow.id,
    version: workflow.version,
    frozen: frozen.digest,
    inputs: json({ inputs }),
    configurable: configurable === null ? null : json({ configurable }),
    metadata: metadata === null ? null : json({ metadata }),
    tags,
    mode,
    orchestration: workflow.orchestration,
    budget: { ...workflow.budget, ...request.budget },
    stallAfter: workflow.stallAfter,
    ...(workflow.rulesVersion === undefined ? {} : { rulesVersion: workflow.rulesVersion }),
    owner,
    ...(warnings.length === 0 ? {} : { warnings }),
  }
  const given: readonly RunEvent[] =
    override === undefined ? [] : [{ type: 'override.given', nodeId: null, text: json({ text: override }) }]
  const decide = async ({ state }: LoadedRun): Promise<RunChange<readonly RunEvent[]>> => {
    if (state.runId !== '') throw new Fault('run_exists', { problem: `Run ${runId} exists already` })
    const started = emitRun(draftRun(emptyRun), created, { type: 'run.started', workflowId: workflow.id }, ...given)
    const draft = beginRun(started, workflow)
    const kept = request.idempotency?.(warnings)
    return {
      run: draft,
      texts: [...frozen.texts, ...texts()],
      ...(kept === undefined ? {} : { idempotency: kept }),
      answer: draft.events,
    }
  }
  const { run, answer, replayed } = (await writeRun(store, place, decide, true))!
  return { run, events: answer, replayed, warnings }
}

/** What the workflow declares must be there, and of its type. What it does not declare is let through. */
export function checkInputs({ variables }: Workflow, inputs: JsonObject): void {
  for (const { name, type, required, defaultValue } of variables) {
    const value = Object.hasOwn(inputs, name) ? inputs[name]! : defaultValue
    if (value === null && required) throw new Fault('validation_error', { problem: `inputs has no ${name}, which the workflow requires` })
    if (value !== null && typeName(value) !== type)
      throw new Fault('validation_error', { problem: `inputs.${name} must be of type ${type}, not ${typeName(value)}` })
  }
}
