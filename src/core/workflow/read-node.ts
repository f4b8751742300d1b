// Converts a node of a workflow from the written to the internal form. Its format is already checked.
import { canonicalJson, type Json, NO_DIGEST } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import type { NodeSettings } from '../gate/authorize.ts'
import { checkForm, type Form } from '../pack/form.ts'
import { nearest } from '../pack/nearest.ts'
import { INLINE_KEYS } from '../resolve/layers.ts'
import { roleNameProblem } from '../role/role-name.ts'
import type { Pointer } from '../schema/pointer.ts'
import { settingFields } from './fields.ts'
import { AGENT_TYPE, nodeTypeProblem } from './node-types.ts'
import type { ModelChoice, PortValue, WorkflowNode } from './workflow.ts'
import { nodeFields } from './workflow-format.ts'
import { REF_KEYS } from './written-refs.ts'

export type Say = (pointer: Pointer, message: string, code?: string) => void

/** The written form: a field that is null in ours is missing. */
export type Given<T> = { readonly [Key in keyof T]?: NonNullable<T[Key]> }

/** The fields that may be at the node or in its config. */
type Fields = Given<ModelChoice> &
  Given<Pick<WorkflowNode, 'role' | 'alias' | 'objective' | 'definitionOfDone' | 'session' | 'settings' | 'orchestration'>> & {
    readonly agent?: string | { readonly agentId: string }
    /** Only in a config, where OpenWOP has it. */
    readonly agentId?: string
  }

interface WrittenInput {
  readonly type: PortValue['type'] | 'expression'
  readonly value?: Json
  readonly variableName?: string
  readonly nodeId?: string
  readonly outputKey?: string
  readonly optional?: boolean
  readonly expression?: string
}

export interface WrittenNode {
  readonly id: string
  readonly typeId?: string
  readonly name?: string
  readonly label?: string
  readonly config?: JsonObject
  readonly inputs?: Readonly<Record<string, WrittenInput>>
  readonly disabled?: boolean
}

const KEYS = Object.keys(nodeFields)
const CONFIG_FORM: Form = { properties: { ...nodeFields, agentId: { type: 'string', maxLength: 256, pattern: NO_DIGEST } } }
const PROMPT_KEYS: readonly string[] = [...REF_KEYS, ...Object.values(INLINE_KEYS)]

export function readNode(written: WrittenNode, at: Pointer, say: Say): WorkflowNode {
  const { id, typeId = AGENT_TYPE, name = id, label = name, disabled = false } = written
  const config = written.config ?? {}
  const typeProblem = nodeTypeProblem(typeId)
  if (typeProblem !== null) say([...at, 'typeId'], typeProblem, 'node_type_unknown')
  const fields = fieldsOf(written as unknown as JsonObject, ownOf(config, typeId, at, say), at, say)
  const { role = null, alias = null, objective = null, definitionOfDone = null, session = null, orchestration = null } = fields as Fields
  const roleProblem = role === null ? null : roleNameProblem(role)
  if (roleProblem !== null) say(placeOf('role', written, at), roleProblem)
  const tooLarge = optionsProblem(fields as Fields)
  if (tooLarge !== null) say(placeOf('providerOptions', written, at), tooLarge)
  const agentId = agentOf(fields, at, say)
  const prompts = Object.entries(fields).filter(([key]) => PROMPT_KEYS.includes(key))
  return {
    id,
    typeId,
    label,
    alias,
    config: { ...config, ...Object.fromEntries(prompts), ...(agentId === null ? {} : { agentId }) },
    inputs: Object.fromEntries(
      Object.entries(written.inputs ?? {}).flatMap(([port, input]) => {
        const read = readInput(input, [...at, 'inputs', port], say)
        return read === null ? [] : [[port, read]]
      }),
    ),
    disabled,
    agentId,
    role,
    objective,
    definitionOfDone,
    session,
    model: modelOf(fields as Fields),
    settings: settingsOf((fields as Fields).settings, placeOf('settings', written, at), say),
    orchestration,
  }
}

/** The fields of a config that are ours. A node type of another product may use the same keys with another meaning. */
function ownOf(config: JsonObject, typeId: string, at: Pointer, say: Say): JsonObject {
  const errors = checkForm(config, CONFIG_FORM, 'config')
  if (typeId === AGENT_TYPE) for (const { pointer, message } of errors) say([...at, 'config', ...pointer], message)
  const malformed = new Set(errors.map(({ pointer }) => pointer[0]))
  return Object.fromEntries(Object.entries(config).filter(([key]) => Object.hasOwn(CONFIG_FORM.properties!, key) && !malformed.has(key)))
}

function fieldsOf(node: JsonObject, config: JsonObject, at: Pointer, say: Say): JsonObject {
  const own = Object.entries(node).filter(([key]) => KEYS.includes(key))
  for (const [key, value] of own)
    if (Object.hasOwn(config, key) && canonicalJson(config[key]!) !== canonicalJson(value))
      say([...at, 'config', key], `The node and its config say different things about "${key}": keep one`)
  return { ...config, ...Object.fromEntries(own) }
}

const placeOf = (key: string, written: WrittenNode, at: Pointer): Pointer =>
  Object.hasOwn(written, key) ? [...at, key] : [...at, 'config', key]

function agentOf({ agent, agentId: configured = '' }: Fields, at: Pointer, say: Say): string | null {
  const named = typeof agent === 'object' ? agent.agentId : (agent ?? null)
  if (configured === '') return named
  if (named !== null && named !== configured) say([...at, 'config', 'agentId'], 'The node and its config name different agents: keep one')
  return configured
}

export function modelOf(input: Given<ModelChoice>): ModelChoice {
  const { provider = null, model = null, maxTokens = null, reasoningEffort = null, temperature, topP, seed, providerOptions } = input
  return {
    provider,
    model,
    maxTokens,
    reasoningEffort,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  }
}

const MOST_OPTIONS = 16_384

/** Options go into every request, so they stay small. */
export function optionsProblem({ providerOptions }: Given<ModelChoice>): string | null {
  const bytes = providerOptions === undefined ? 0 : new TextEncoder().encode(canonicalJson(providerOptions)).length
  return bytes <= MOST_OPTIONS ? null : `"providerOptions" has ${bytes} bytes of JSON: at most ${MOST_OPTIONS} are allowed`
}

const SETTINGS = Object.keys(settingFields)

/** OpenWOP leaves a node's settings open: a key that nearly matches one of ours is a probable typo. */
function settingsOf(settings: Partial<NodeSettings> | undefined, at: Pointer, say: Say): Partial<NodeSettings> | null {
  const entries = Object.entries(settings ?? {})
  for (const [key] of entries) {
    const meant = SETTINGS.includes(key) ? null : nearest(key, SETTINGS)
    if (meant !== null) say([...at, key], `There is no "${key}" here: did you mean "${meant}"?`)
  }
  const own = entries.filter(([key]) => SETTINGS.includes(key))
  return own.length === 0 ? null : Object.fromEntries(own)
}

const NEEDS: Readonly<Record<WrittenInput['type'], readonly (keyof WrittenInput)[]>> = {
  static: ['value'],
  variable: ['variableName'],
  connection: ['nodeId', 'outputKey'],
  expression: ['expression'],
}

function readInput(input: WrittenInput, at: Pointer, say: Say): PortValue | null {
  const { type, value, variableName, nodeId, outputKey, optional = false } = input
  for (const key of NEEDS[type]) if (!Object.hasOwn(input, key)) say(at, `An input of type ${type} has a "${key}": add it`)
  for (const key of Object.keys(input))
    if (!['type', 'optional', ...NEEDS[type]].includes(key)) say([...at, key], `An input of type ${type} takes no "${key}": remove it`)
  if (type === 'static') return { type, value: value ?? null }
  if (type === 'variable') return { type, variable: variableName ?? '', optional }
  if (type === 'connection') return { type, node: nodeId ?? '', output: outputKey ?? '', optional }
  say(at, 'Expressions are not supported, because they are untrusted code: use a variable, a connection or a static value')
  return null
}
