// Checks the input of a run against the schema of its pack. Only for verbatim prompts, where the input is exactly what the schema describes.
import type { Json } from '../../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../../core/digest/is-object.ts'
import type { TemplateVariable } from '../../../core/library/template.ts'
import type { RunWarning } from '../../../core/run/warning.ts'
import { pointerText } from '../../../core/schema/pointer.ts'
import { collectSchemas } from '../../../core/schema/schemas.ts'
import type { Workflow, WorkflowNode } from '../../../core/workflow/workflow.ts'
import { Fault } from '../../../errors.ts'
import type { Validator } from '../../../ports.ts'
import type { PackSchemas } from '../../library/pack-schemas.ts'

/** A node whose prompt comes from a pack with schemas. */
export interface PackNode {
  readonly node: WorkflowNode
  readonly schemas: PackSchemas
  readonly variables: readonly TemplateVariable[]
  readonly onMisfit: 'fail' | 'warn'
}

/** Names that fill the template and are not part of what the schema describes. */
export function boundNames(pack: PackSchemas | null, variables: readonly TemplateVariable[]): readonly string[] {
  const schema = pack?.schemas[pack.inputSchema] ?? null
  const described = isObject(schema) && isObject(schema.properties ?? null) ? Object.keys(schema.properties as JsonObject) : []
  return variables
    .filter(({ name, source = 'input' }) => (source === 'input' || source === 'variable') && !described.includes(name))
    .map(({ name }) => name)
}

/** Throws `input_misfit` or returns a warning, as the workflow or the agent chose. */
export async function checkPackInputs(
  validator: Validator,
  workflow: Workflow,
  inputs: JsonObject,
  nodes: readonly PackNode[],
): Promise<readonly RunWarning[]> {
  const warnings: RunWarning[] = []
  for (const { node, schemas, variables, onMisfit } of nodes) {
    const bound = boundNames(schemas, variables)
    const instance = Object.fromEntries(Object.entries(inputOf(workflow, node, inputs)).filter(([name]) => !bound.includes(name)))
    const misfit = await schemaMisfit(validator, schemas, schemas.inputSchema, instance)
    if (misfit === null) continue
    const fault = new Fault('input_misfit', { pack: `${schemas.pack}@${schemas.version}`, nodeId: node.id, ...misfit })
    if (onMisfit === 'fail') throw fault
    warnings.push({ code: 'input_misfit', message: fault.message })
  }
  return warnings
}

/** The first place where an instance does not fit one of a pack's schemas; null where it fits. */
export async function schemaMisfit(
  validator: Pick<Validator, 'ask'>,
  { schemas }: PackSchemas,
  schema: string,
  instance: Json,
): Promise<{ readonly pointer: string; readonly problem: string } | null> {
  const files = Object.values(schemas).map((one, index) => ({ path: `schema ${index}`, schema: one }))
  const [verdict] = await validator.ask(collectSchemas(files).schemas, [{ schema, instance }])
  if (verdict === undefined || verdict.outcome === 'valid') return null
  const [first] = verdict.outcome === 'invalid' ? verdict.mismatches : [{ pointer: [], message: verdict.message }]
  return { pointer: pointerText(first?.pointer ?? []), problem: first?.message ?? 'it does not fit' }
}

/** The node's effective input: its own values, the defaults of the workflow, and the inputs of the run. */
function inputOf({ variables }: Workflow, { inputs: ports }: WorkflowNode, given: JsonObject): JsonObject {
  const defaults = variables.flatMap(({ name, defaultValue }) => (defaultValue === null ? [] : [[name, defaultValue] as const]))
  const all: JsonObject = { ...Object.fromEntries(defaults), ...given }
  const own = Object.entries(ports).flatMap(([name, port]) => {
    const value = port.type === 'static' ? port.value : port.type === 'variable' ? all[port.variable] : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...all, ...Object.fromEntries(own) }
}
