// Reads a workflow from its JSON: OpenWOP's WorkflowDefinition, or a shorter form with our own fields. Reports all
// problems at once; never throws.
import type { ComposeStyle } from '../compose/compose-style.ts'
import type { Mode } from '../compose/mode.ts'
import { isDeeperThan } from '../digest/depth.ts'
import type { Json } from '../digest/digest.ts'
import { hasSpelling } from '../digest/has-spelling.ts'
import type { JsonObject } from '../digest/is-object.ts'
import { checkForm } from '../pack/form.ts'
import type { KindRefs } from '../resolve/layers.ts'
import { shown } from '../resolve/prompt-ref.ts'
import type { Pointer } from '../schema/pointer.ts'
import type { Mismatch } from '../schema/verdict.ts'
import { graphProblems, markLeadingBack } from './graph.ts'
import { readEdges, sayUnknown, type WrittenEdge } from './read-edges.ts'
import { readNode, type Say, type WrittenNode } from './read-node.ts'
import { RULES_VERSION } from './rules-version.ts'
import type { Budget, Orchestration, Workflow, WorkflowEdge, WorkflowNode, WorkflowVariable } from './workflow.ts'
import { MOST_REPEATS, workflowFormat } from './workflow-format.ts'
import { readRefs, refsInWorkflow } from './written-refs.ts'

export type ReadWorkflow =
  | { readonly ok: true; readonly workflow: Workflow }
  | { readonly ok: false; readonly problems: readonly Mismatch[] }

/** As the document has it. */
interface Written {
  readonly id: string
  readonly name?: string
  readonly version?: string
  readonly description?: string
  readonly nodes: readonly WrittenNode[]
  readonly edges?: readonly WrittenEdge[]
  readonly variables?: readonly (Pick<WorkflowVariable, 'name' | 'type'> & Partial<WorkflowVariable>)[]
  readonly defaults?: { readonly promptRefs?: KindRefs }
  readonly objective?: string
  readonly definitionOfDone?: string
  readonly mode?: Mode
  readonly orchestration?: Orchestration
  readonly budget?: Partial<Budget>
  readonly stallAfter?: number
  readonly configurableSchema?: JsonObject
  readonly compose?: ComposeStyle
  readonly onMisfit?: 'fail' | 'warn'
  readonly settings?: { readonly timeout?: number; readonly maxLoopbackIterations?: number }
}

const MOST_DEPTH = 64
/** A longer list does not help its reader. */
const MOST_PROBLEMS = 100
export const STALL_AFTER = 5
const STEPS_PER_NODE = 50

export function readWorkflow(value: Json): ReadWorkflow {
  const outright = unusable(value)
  if (outright !== null) return { ok: false, problems: [{ pointer: [], message: `The workflow ${outright}` }] }
  const formErrors = checkForm(value, workflowFormat, 'The workflow')
  if (formErrors.length > 0) return failed(formErrors.map(({ pointer, message }) => ({ pointer, message })))
  const problems: Mismatch[] = [...readRefs(refsInWorkflow(value as JsonObject)).problems]
  const workflow = toWorkflow(value as unknown as Written, (pointer, message, code) =>
    problems.push({ pointer, message, ...(code === undefined ? {} : { code }) }),
  )
  return problems.length > 0 ? failed(problems) : { ok: true, workflow }
}

const failed = (problems: readonly Mismatch[]): ReadWorkflow => ({ ok: false, problems: problems.slice(0, MOST_PROBLEMS) })

/** The reason why a value must not be processed at all, or null. */
export function unusable(value: Json): string | null {
  if (isDeeperThan(value, MOST_DEPTH)) return `is nested more than ${MOST_DEPTH} deep`
  return hasSpelling(value) ? null : 'holds an invalid number, or half a surrogate pair'
}

function toWorkflow(written: Written, say: Say): Workflow {
  const { id, name = id, version = '0.0.0', description = null, objective = null, definitionOfDone = null } = written
  const { mode = 'implementation', orchestration = 'auto', stallAfter = STALL_AFTER, configurableSchema = null } = written
  const nodes = written.nodes.map((node, index) => readNode(node, ['nodes', index], say))
  sayNames(nodes, written, say)
  return {
    id,
    name,
    version,
    description,
    nodes,
    edges: edgesOf(written, nodes, say),
    variables: (written.variables ?? []).map(({ name, type, required = false, defaultValue = null, trust = 'trusted' }) => ({
      name,
      type,
      required,
      defaultValue,
      trust,
    })),
    promptRefs: written.defaults?.promptRefs ?? {},
    objective,
    definitionOfDone,
    mode,
    orchestration,
    budget: budgetOf(written),
    stallAfter,
    rulesVersion: RULES_VERSION,
    configurableSchema,
    ...(written.compose === undefined ? {} : { compose: written.compose }),
    ...(written.onMisfit === undefined ? {} : { onMisfit: written.onMisfit }),
  }
}

function budgetOf({ budget = {}, settings = {} }: Written): Budget {
  const { steps = null, tokens = null, milliseconds = settings.timeout || null, stepsPerNode = STEPS_PER_NODE } = budget
  return { steps, tokens, milliseconds, stepsPerNode: stepsPerNode || null }
}

/** Ids, aliases and names of variables are unique, and connections lead to existing nodes. */
function sayNames(nodes: readonly WorkflowNode[], { edges = [], variables = [] }: Written, say: Say): void {
  sayTwice(
    say,
    'node',
    nodes.map(({ id }, index) => [id, ['nodes', index, 'id']]),
  )
  sayTwice(
    say,
    'alias',
    nodes.flatMap(({ alias }, index) => (alias === null ? [] : [[alias, ['nodes', index, 'alias']]])),
  )
  sayTwice(
    say,
    'edge',
    edges.flatMap(({ id }, index) => (id === undefined ? [] : [[id, ['edges', index, 'id']]])),
  )
  sayTwice(
    say,
    'variable',
    variables.map(({ name }, index) => [name, ['variables', index, 'name']]),
  )
  const ids = new Set(nodes.map(({ id }) => id))
  for (const [index, { id, alias, inputs }] of nodes.entries()) {
    if (alias !== null && alias !== id && ids.has(alias))
      say(['nodes', index, 'alias'], `"${alias}" is the id of another node: choose another alias`)
    for (const [port, input] of Object.entries(inputs))
      if (input.type === 'connection') sayUnknown(input.node, ['nodes', index, 'inputs', port, 'nodeId'], ids, say)
  }
}

function sayTwice(say: Say, what: string, names: readonly (readonly [name: string, at: Pointer])[]): void {
  const seen = new Set<string>()
  for (const [name, at] of names) {
    if (seen.has(name)) say(at, `Another ${what} is called "${shown(name)}": choose another name`)
    seen.add(name)
  }
}

function edgesOf({ edges: written = [], settings = {} }: Written, nodes: readonly WorkflowNode[], say: Say): readonly WorkflowEdge[] {
  const ids = [...new Set(nodes.map(({ id }) => id))]
  const read = readEdges(written, ids, say)
  const { maxLoopbackIterations: bound } = settings
  const isMarked = bound === undefined || read.some(({ repeats }) => repeats !== null)
  const edges = isMarked ? read : markLeadingBack({ nodes: ids, edges: read }, Math.min(bound, MOST_REPEATS))
  // Without one of its edges, or with two nodes taken for one, it is another graph.
  if (read.length === written.length && ids.length === nodes.length)
    for (const { pointer, message } of graphProblems({ nodes: ids, edges })) say(pointer, message)
  return edges
}
