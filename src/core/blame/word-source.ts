// Names the source of each text in a prompt: the run's input, another node, a template's default, a secret. Does not look up values.
import { type BindOptions, givenBy } from '../compose/bind.ts'
import type { BlockSegment } from '../compose/parts.ts'
import type { TemplateVariable } from '../library/template.ts'

/**
 * `input`: the run's input. `workflow`: its variable's default, its graph, its objective. `node`: written at the node. `output`: the
 * output of the named node. `handoff`: from the named node. `context`: facts of the run. `override`: of the ref. `default`: of the
 * template. `prelude`: its values. `tool`: shown in this step. `agent`: the named node, whose agent added it to the graph. `person`:
 * entered at the last minute. `settings`: the permissions of a node; the names are the layers that set some of them.
 */
export interface WordSource {
  readonly from:
    | 'input'
    | 'workflow'
    | 'node'
    | 'output'
    | 'handoff'
    | 'context'
    | 'secret'
    | 'override'
    | 'default'
    | 'prelude'
    | 'tool'
    | 'agent'
    | 'person'
    | 'repository'
    | 'settings'
    | 'run'
  readonly name: string | null
}

/** The sources of values by name: those of the workflow's variables, and those of the node's inputs, which take precedence. */
export interface ValueOrigins {
  readonly variables: Readonly<Record<string, WordSource>>
  readonly inputs: Readonly<Record<string, WordSource>>
}

const own = <T>(values: Readonly<Record<string, T>>, name: string): T | null => (Object.hasOwn(values, name) ? values[name]! : null)

/** A name that is neither variable nor port is an input of the run. */
export const inputSource = ({ variables, inputs }: ValueOrigins, name: string): WordSource =>
  own(inputs, name) ?? own(variables, name) ?? { from: 'input', name }

const rootOf = (path: string): string => /^[^.[]*/.exec(path)![0]

/** The source of a template tag. Null when no single variable accounts for it, such as for the key of an object. */
export function tagSource(
  { from, secret }: Pick<BlockSegment, 'from' | 'secret'>,
  variables: readonly TemplateVariable[],
  bind: BindOptions,
  origins: ValueOrigins,
): WordSource | null {
  if (secret !== null) return { from: 'secret', name: secret }
  const variable = variables.find(({ name }) => name === rootOf(from ?? ''))
  if (variable === undefined) return null
  const { name } = variable
  const by = givenBy(variable, bind)
  if (by === 'input') return inputSource(origins, name)
  if (by === 'variable') return own(origins.variables, name)
  return by === null ? null : { from: by, name }
}

/** The sources of a task. */
export interface TaskFacts {
  readonly nodeId: string
  readonly workflowId: string
  /** The fields that the node sets itself. */
  readonly own: { readonly objective: boolean; readonly definitionOfDone: boolean }
  /** Names of the inputs it shows. */
  readonly inputs: readonly string[]
  readonly handoffs: readonly { readonly from: string }[]
  /** The layers that set permissions of the node; the rest are defaults. */
  readonly settings: readonly string[]
  /** The node that added each listed item, in the order of the list; null for an item of the workflow. */
  readonly nodes: readonly (string | null)[]
  readonly edges: readonly (string | null)[]
  readonly origins: ValueOrigins
}

/** As the task prints them. */
const inputName = (inputs: readonly string[], index: string | undefined): string => [...inputs].sort()[Number(index)] ?? ''

/** Names an input: the record has only its index. */
export function fieldName(field: string | null, { inputs }: TaskFacts): string | null {
  const [root, index] = (field ?? '').split('.')
  return root === 'inputs' ? `inputs.${inputName(inputs, index)}` : field
}

/** @param field as segments of the task name it; null for the text between fields */
export function taskSource(field: string | null, facts: TaskFacts): WordSource | null {
  const { nodeId, workflowId, own, inputs, handoffs, settings, origins } = facts
  const [name, index, inner] = (field ?? '').split('.')
  const workflow: WordSource = { from: 'workflow', name: workflowId }
  switch (name) {
    case 'task':
      return { from: 'run', name: null }
    case 'objective':
    case 'definitionOfDone':
      return own[name] ? { from: 'node', name: nodeId } : workflow
    case 'inputs':
      return inputSource(origins, inputName(inputs, index))
    case 'handoffs':
      // The edge declares the context packs that go with every handoff.
      return inner === 'contextPacks' ? workflow : { from: 'handoff', name: handoffs[Number(index)]?.from ?? null }
    case 'repository':
      return { from: 'repository', name: null }
    case 'settings':
      return { from: 'settings', name: settings.length === 0 ? null : settings.join(', ') }
    case 'nodes':
    case 'edges': {
      const by = facts[name][Number(index)] ?? null
      return by === null ? workflow : { from: 'agent', name: by }
    }
    default:
      return null
  }
}
