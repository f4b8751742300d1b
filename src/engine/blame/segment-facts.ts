// Finds the author and the file of every segment of a prompt: from the chosen templates, their values, and the sources of the task.
import type { SegmentFacts } from '../../core/blame/span.ts'
import { fieldName, type TaskFacts, tagSource, taskSource, type WordSource } from '../../core/blame/word-source.ts'
import type { BlockSegment } from '../../core/compose/parts.ts'
import { byEnds, byLabel } from '../../core/compose/task.ts'
import type { Handoff } from '../../core/compose/task-payload.ts'
import { KINDS, resolveNode } from '../../core/resolve/resolve.ts'
import { snapshotLookup } from '../../core/resolve/snapshot-lookup.ts'
import { lookupOf } from '../../core/run/frozen.ts'
import type { RunStep } from '../../core/run/reading/reading.ts'
import { nodeOf } from '../../core/run/state.ts'
import type { Pointer } from '../../core/schema/pointer.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { WorkflowNode } from '../../core/workflow/workflow.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { loadSnapshotPacks } from '../library/pack-sets.ts'
import { DIALECT, frozenRole, type LoadedFrozen, loadFrozen, resolveRequest } from '../runs/start/frozen.ts'
import { worldOf } from '../runs/start/world.ts'
import { keeper } from '../turns/keep.ts'
import { type NodeValues, readStored } from '../turns/node-values.ts'
import { type NodePlace, overridesOf, type ResolvedTemplate, templatesOf, valuesOf } from '../turns/step-parts.ts'
import { agentOf } from '../turns/task.ts'
import type { BlamedStep } from './blamed-steps.ts'
import { type Found, type Origin, type Origins, SHIPPED } from './origins.ts'
import type { ShownTool } from './tools.ts'
import { unlessGone } from './version-files.ts'

export interface StepFacts {
  readonly of: (segment: BlockSegment) => SegmentFacts
  /** The origin of every template and role in the prompt. */
  readonly origins: readonly ({ readonly ref: string } & Origin)[]
}

export async function segmentFacts(
  store: Store,
  tenant: string,
  { step, run, overriddenBy, edgesBy }: BlamedStep,
  origins: Origins,
  tools: readonly ShownTool[],
): Promise<StepFacts> {
  const { nodeId, prompt } = step
  const frozen = await worldOf(store, tenant, run.state)
  const node = frozen.workflow.nodes.find(({ id }) => id === nodeId)
  if (node === undefined) throw new Fault('node_missing', { problem: `The workflow of run ${run.state.runId} has no node ${nodeId}` })
  const place: NodePlace = { store, tenant, run, frozen, node }
  // The values of a prompt may be erased while the prompt is not: then the author of its words is unknown.
  const values = await unlessGone(() => valuesOf(place))
  const templates = values === null ? [] : ((await unlessGone(() => resolvedTemplates(place, values, step.snapshot))) ?? [])
  const task = values === null ? null : await unlessGone(() => taskFacts(place, values, edgesBy))
  const found = await foundTemplates(place, step, origins)
  const written = await writtenInWorkflow(place, origins)
  const spawnedBy = frozen.spawned.get(nodeId)?.node.by ?? null
  const kinds = new Map(prompt.templates.map(({ ref, part, kind }) => [`${part} ${ref}`, kind]))

  const sourceOf = (segment: BlockSegment): WordSource | null => {
    const { part, template, from } = segment
    if (part === 'task') return task === null ? null : taskSource(from, task)
    if (part === 'override') return { from: 'person', name: overriddenBy }
    if (part !== null && Object.hasOwn(INLINE_FIELDS, part) && template === null)
      return spawnedBy === null ? { from: 'node', name: nodeId } : { from: 'agent', name: spawnedBy }
    if (from === null) return null
    if (part === 'contract') return { from: 'tool', name: tools[indexIn(from)]?.name ?? null }
    const meant = templates.filter(one => one.ref === template && one.kind === part)
    return agreed(meant.map(({ template: said, bind }) => tagSource(segment, said?.variables ?? [], bind, values!.origins)))
  }
  const placeOf = ({ part, template, from, at }: BlockSegment): SegmentFacts['placeAt'] => {
    if (part === 'task') return written.get(from ?? '') ?? null
    const placeAt = template === null ? written.get(INLINE_FIELDS[part ?? ''] ?? '') : found.get(template)?.placeAt
    if (placeAt === undefined || placeAt === null || at === null) return placeAt ?? null
    return offset => placeAt(at.start + offset)
  }
  return {
    of: segment => ({
      kind: kinds.get(`${segment.part} ${segment.template}`) ?? null,
      variable: segment.part === 'task' && task !== null ? fieldName(segment.from, task) : segment.from,
      source: sourceOf(segment),
      placeAt: placeOf(segment),
    }),
    origins: [...found].map(([ref, { origin }]) => ({ ref, ...origin })),
  }
}

/** The field of a node that holds its own text, by the part of the prompt that the text becomes. */
const INLINE_FIELDS: Readonly<Record<string, string>> = { role: 'systemPrompt', user: 'userPrompt', 'schema-hint': 'schemaHintPrompt' }

const indexIn = (path: string): number => Number(/\d+/.exec(path)?.[0])

/** A template that is used twice may be filled in two ways: then the source is ambiguous, and null. */
const agreed = ([first = null, ...others]: readonly (WordSource | null)[]): WordSource | null =>
  others.every(other => other?.from === first?.from && other?.name === first?.name) ? first : null

/** Resolved again from the frozen world, to learn the sources of their values: the record keeps the values, not their sources. */
async function resolvedTemplates(place: NodePlace, values: NodeValues, snapshot: Snapshot | null): Promise<readonly ResolvedTemplate[]> {
  const { store, tenant, frozen, node } = place
  const request = resolveRequest(frozen, node, await overridesOf(place))
  const lookup = snapshotLookup(lookupOf(frozen.lookup), await loadSnapshotPacks(store, tenant, snapshot))
  return templatesOf(place, resolveNode(request, lookup, KINDS, DIALECT).resolutions, values, keeper().keep)
}

async function taskFacts(
  { store, tenant, run, frozen, node }: NodePlace,
  { inputs, origins }: NodeValues,
  edgesBy: BlamedStep['edgesBy'],
): Promise<TaskFacts> {
  const { handoffs } = nodeOf(run.state, node.id)
  const spawner = (nodeId: string): string | null => frozen.spawned.get(nodeId)?.node.by ?? null
  const edges = [
    ...frozen.workflow.edges.map(edge => ({ ...edge, label: edge.label ?? '', by: null })),
    ...run.state.grown.edges.map(edge => ({ ...edge, type: edge.edgeType, by: edgesBy.get(edge.edgeId) ?? null })),
  ]
  return {
    nodeId: node.id,
    workflowId: frozen.workflow.id,
    own: { objective: node.objective !== null, definitionOfDone: node.definitionOfDone !== null },
    inputs: Object.keys(inputs),
    handoffs: handoffs === null ? [] : await readStored<readonly Handoff[]>(store, tenant, handoffs),
    settings: settingsSaidBy(frozen, node, spawner(node.id)),
    nodes: frozen.workflow.nodes.toSorted(byLabel).map(({ id }) => spawner(id)),
    edges: edges.toSorted(byEnds).map(({ by }) => by),
    origins,
  }
}

function settingsSaidBy(frozen: LoadedFrozen, node: WorkflowNode, spawnedBy: string | null): readonly string[] {
  const agent = agentOf(frozen, node)
  const role = frozenRole(frozen, node, agent)
  const says = (settings: object | null | undefined): boolean => Object.keys(settings ?? {}).length > 0
  return [
    ...(says(node.settings) ? [`node ${spawnedBy ?? node.id}`] : []),
    ...(says(agent?.settings) ? [`agent ${agent!.agentId}`] : []),
    // The prompt shows the role's requests, even an empty list.
    ...(role === null ? [] : [`role ${role.name}`]),
  ]
}

async function foundTemplates({ frozen, node }: NodePlace, { prompt }: RunStep, origins: Origins): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>()
  const agent = agentOf(frozen, node)
  const role = frozenRole(frozen, node, agent)
  for (const { ref, template, layer, part } of prompt.templates) {
    if (found.has(ref)) continue
    if (part === 'contract' || part === 'mode') found.set(ref, SHIPPED)
    else if (part === 'role' && role !== null) found.set(ref, await origins.role(role))
    else if (layer === 'agent-intrinsic') found.set(ref, await origins.intrinsic(agent!))
    else found.set(ref, await origins.template(template))
  }
  return found
}

/** By field: the text of the workflow's own file for this node. For a node that an agent added, there is no such file. */
async function writtenInWorkflow({ store, tenant, run, frozen, node }: NodePlace, origins: Origins) {
  const written = new Map<string, NonNullable<Found['placeAt']>>()
  const { workflow } = await loadFrozen(store, tenant, run.state.frozen!)
  const index = workflow.nodes.findIndex(({ id }) => id === node.id)
  if (index < 0 || frozen.spawned.has(node.id)) return written
  const atNode = (field: string): readonly Pointer[] => [
    ['nodes', index, field],
    ['nodes', index, 'config', field],
  ]
  const fields: readonly (readonly [field: string, pointers: readonly Pointer[]])[] = [
    ...Object.values(INLINE_FIELDS).map(field => [field, atNode(field)] as const),
    ['objective', node.objective === null ? [['objective']] : atNode('objective')],
    ['definitionOfDone', node.definitionOfDone === null ? [['definitionOfDone']] : atNode('definitionOfDone')],
  ]
  for (const [field, pointers] of fields) {
    const { placeAt } = await origins.workflow(workflow, pointers)
    if (placeAt !== null) written.set(field, placeAt)
  }
  return written
}
