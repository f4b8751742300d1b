// Creates a run: freezes its workflow, agents, roles and inputs, and records all of it before the caller gets an answer.
import type { Mode } from '../../../core/compose/mode.ts'
import { type Digest, tryCanonicalJson } from '../../../core/digest/digest.ts'
import type { JsonObject } from '../../../core/digest/is-object.ts'
import { typeName } from '../../../core/pack/type-name.ts'
import { draftRun, emitRun, type RunDraft } from '../../../core/run/draft.ts'
import type { DirectRequest, RunEvent } from '../../../core/run/events.ts'
import { beginRun } from '../../../core/run/graph/walk.ts'
import { emptyRun, type RunState } from '../../../core/run/state.ts'
import type { RunWarning } from '../../../core/run/warning.ts'
import type { StoredText } from '../../../core/session/history.ts'
import type { Budget, Workflow } from '../../../core/workflow/workflow.ts'
import { Fault } from '../../../errors.ts'
import type { Commit, Store, Validator } from '../../../ports.ts'
import { keeper } from '../../turns/keep.ts'
import { promptOverrides } from '../../turns/step-parts.ts'
import type { LoadedRun } from '../load.ts'
import { type RunChange, type RunPlace, writeRun } from '../write-run.ts'
import { checkPackInputs } from './check-input.ts'
import { freeze, type RunWorld } from './frozen.ts'

export interface CreateRun {
  readonly workflow: Workflow
  readonly inputs?: JsonObject
  readonly configurable?: JsonObject | null
  readonly metadata?: JsonObject | null
  readonly tags?: readonly string[]
  readonly mode?: Mode
  readonly budget?: Partial<Budget>
  /** Text that a person adds to every node's prompt. */
  readonly override?: string
  /** The request of a run that asks a session directly. */
  readonly direct?: DirectRequest
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
  const { draft, texts, warnings } = await draftOfRun(store, place, request, world, owner, validator)
  const decide = async ({ state }: LoadedRun): Promise<RunChange<readonly RunEvent[]>> => {
    checkNew(state, place.runId)
    const storedAnswer = request.idempotency?.(warnings)
    return { draft, texts, ...(storedAnswer === undefined ? {} : { idempotency: storedAnswer }), answer: draft.events }
  }
  const { run, answer, replayed } = (await writeRun(store, place, decide, true))!
  return { run, events: answer, replayed, warnings }
}

/** Throws `run_exists`. */
export function checkNew(state: RunState, runId: string): void {
  if (state.runId !== '') throw new Fault('run_exists', { problem: `Run ${runId} exists already` })
}

export interface RunBeginning {
  readonly draft: RunDraft
  readonly texts: readonly StoredText[]
  readonly warnings: readonly RunWarning[]
}

/** The first events of a run, and everything that they name. */
export async function draftOfRun(
  store: Store,
  { tenant, runId }: RunPlace,
  request: CreateRun,
  world: RunWorld,
  owner: string,
  validator: Validator | null,
): Promise<RunBeginning> {
  const { workflow, inputs = {}, configurable = null, metadata = null, tags = [], mode = workflow.mode, override, direct } = request
  checkInputs(workflow, inputs)
  const frozen = await freeze(store, tenant, workflow, world, promptOverrides(configurable ?? {}), mode)
  const misfits = validator === null ? [] : await checkPackInputs(validator, workflow, inputs, frozen.packs)
  const warnings = [...frozen.warnings, ...misfits]
  const { keep, texts } = keeper()
  // Each wrapped in an object, so that no content can look like a node.
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
    ...(direct === undefined ? {} : { direct }),
  }
  const given: readonly RunEvent[] =
    override === undefined ? [] : [{ type: 'override.given', nodeId: null, text: json({ text: override }) }]
  const draft = beginRun(emitRun(draftRun(emptyRun), created, ...given), workflow)
  return { draft, texts: [...frozen.texts, ...texts()], warnings }
}

/** An input that the workflow declares must be present and of its type. Undeclared inputs pass. */
export function checkInputs({ variables }: Workflow, inputs: JsonObject): void {
  for (const { name, type, required, defaultValue } of variables) {
    const value = Object.hasOwn(inputs, name) ? inputs[name]! : defaultValue
    if (value === null && required) throw new Fault('validation_error', { problem: `inputs has no ${name}, which the workflow requires` })
    if (value !== null && typeName(value) !== type)
      throw new Fault('validation_error', { problem: `inputs.${name} must be of type ${type}, not ${typeName(value)}` })
  }
}
