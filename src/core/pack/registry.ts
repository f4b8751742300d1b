// The registry of an agent's pack: its versions, the active one, and the history of activations. Pure: the caller reads
// and writes the file.
import { DIGEST, type Digest, type Json } from '../digest/digest.ts'
import { hasDuplicateKeys } from '../digest/duplicate-keys.ts'
import { jsonFile } from '../digest/indented-json.ts'
import { readJson } from '../schema/json-text.ts'
import type { Pointer } from '../schema/pointer.ts'
import { checkForm } from './form.ts'
import { SEMVER } from './format.ts'
import { claimOf } from './identity.ts'
import type { Span } from './place.ts'
import { readYaml } from './yaml.ts'

export type VersionStatus = 'active' | 'deprecated' | 'retired'

export interface RegisteredVersion {
  readonly path: string
  /** The digest of the file's bytes. */
  readonly digest: string
  /** The digest of its meaning: formatting does not change it. */
  readonly semantic: string
  /** The digests of all schemas that it reaches, by URI. */
  readonly schemas: Readonly<Record<string, string>>
  readonly status: VersionStatus
}

export interface Activation {
  readonly from: string | null
  readonly to: string
  readonly at: string
  readonly why?: string
}

export interface RegisteredAgent {
  readonly active: string
  readonly versions: Readonly<Record<string, RegisteredVersion>>
  readonly history: readonly Activation[]
}

export interface Registry {
  readonly agents: Readonly<Record<string, RegisteredAgent>>
}

export const emptyRegistry: Registry = { agents: {} }

export const registryFormat = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://onbook.dev/schemas/registry.json',
  title: 'Onbook registry',
  description: 'Known versions of each agent, the active one, and its history. Written by onbook prompt activate.',
  type: 'object',
  additionalProperties: false,
  required: ['agents'],
  properties: {
    $schema: { type: 'string' },
    agents: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['active', 'versions', 'history'],
        properties: {
          active: { type: 'string', pattern: SEMVER },
          versions: {
            type: 'object',
            propertyNames: { pattern: SEMVER },
            additionalProperties: {
              type: 'object',
              additionalProperties: false,
              required: ['path', 'digest', 'semantic', 'schemas', 'status'],
              properties: {
                path: { type: 'string' },
                digest: { type: 'string', pattern: DIGEST },
                semantic: { type: 'string', pattern: DIGEST },
                schemas: { type: 'object', additionalProperties: { type: 'string' } },
                status: { enum: ['active', 'deprecated', 'retired'] },
              },
            },
          },
          history: {
            type: 'array',
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['from', 'to', 'at'],
              properties: { from: { type: ['string', 'null'] }, to: { type: 'string' }, at: { type: 'string' }, why: { type: 'string' } },
            },
          },
        },
      },
    },
  },
} as const

export interface RegistryProblem {
  readonly message: string
  readonly pointer: Pointer
}

export type ReadRegistry =
  | { readonly ok: true; readonly registry: Registry }
  | { readonly ok: false; readonly message: string; readonly at: Span }

export function readRegistry(text: string): ReadRegistry {
  const read = readJson(text)
  if (!read.ok) return { ok: false, message: `not JSON: ${read.message}`, at: { start: read.offset, end: read.offset + 1 } }
  const twice = readYaml(text).problems.find(({ message }) => hasDuplicateKeys(text, read.value) && message !== '')
  if (twice !== undefined) return { ok: false, message: twice.message, at: { start: twice.start, end: twice.end } }
  const [problem] = problemsWith(read.value)
  if (problem !== undefined) return { ok: false, message: problem.message, at: placesInRegistry(text)(problem.pointer) }
  return { ok: true, registry: read.value as unknown as Registry }
}

/** JSON is YAML, and the YAML reader knows the position of each value. */
export function placesInRegistry(text: string): (pointer: Pointer) => Span {
  const { locate } = readYaml(text)
  return pointer => locate({ pointer })
}

function problemsWith(value: Json): readonly RegistryProblem[] {
  const errors = checkForm(value, registryFormat, 'The registry')
  return errors.length > 0 ? errors : Object.entries((value as unknown as Registry).agents).flatMap(contradictionsIn)
}

function contradictionsIn([agentId, agent]: [string, RegisteredAgent]): readonly RegistryProblem[] {
  return [...activeProblems(agentId, agent), ...historyProblems(agentId, agent)]
}

/** Exactly one version is active, and it is the one named so. */
function activeProblems(agentId: string, { active, versions }: RegisteredAgent): readonly RegistryProblem[] {
  const marked = Object.keys(versions).filter(version => versions[version]!.status === 'active')
  if (marked.length === 1 && marked[0] === active) return []
  const message = `"agents/${agentId}" names ${active} as active, but its versions say ${marked.join(' and ') || 'none'}`
  return [{ message, pointer: ['agents', agentId, 'active'] }]
}

/** Every activation is recorded in order, and a registered version is never removed: `retire` keeps it. */
function* historyProblems(agentId: string, { active, versions, history }: RegisteredAgent): Iterable<RegistryProblem> {
  const pointer = ['agents', agentId, 'history']
  let before: string | null = null
  for (const [index, { from, to }] of history.entries()) {
    if (from !== before)
      yield {
        message: `The history of ${agentId} has a gap: ${to} was activated after ${from ?? 'nothing'}, and the entry before says ${before ?? 'nothing'}. Restore what was removed`,
        pointer: [...pointer, index, 'from'],
      }
    if (!Object.hasOwn(versions, to))
      yield {
        message: `${agentId}@${to} is in the history, and missing in "versions": a released version is retired, never removed. Restore it`,
        pointer: [...pointer, index, 'to'],
      }
    before = to
  }
  if (before !== active)
    yield {
      message: `The history of ${agentId} ends with ${before ?? 'nothing'}, and ${active} is active. Restore what was removed`,
      pointer,
    }
  for (const version of Object.keys(versions))
    if (!history.some(({ to }) => to === version))
      yield {
        message: `${agentId}@${version} is registered, and its history does not say when. Restore what was removed`,
        pointer: ['agents', agentId, 'versions', version],
      }
}

/**
 * Versions whose file is missing, or belongs to another version. A retired file may be missing. Only a person can write
 * such a path: `activate` does not.
 */
export function misplacedVersions({ agents }: Registry, isThere: (path: string) => boolean): readonly RegistryProblem[] {
  return Object.entries(agents).flatMap(([agentId, { versions }]) =>
    Object.entries(versions).flatMap(([version, { path, status }]) => {
      const message = isThere(path) ? whoseElse(path, agentId, version) : status === 'retired' ? null : `but ${path} is gone`
      if (message === null) return []
      return [{ message: `${agentId}@${version} is registered, ${message}`, pointer: ['agents', agentId, 'versions', version, 'path'] }]
    }),
  )
}

function whoseElse(path: string, agentId: string, version: string): string | null {
  const claim = claimOf(path)
  if (claim?.agentId === agentId && claim.version === version) return null
  return claim === null ? `but ${path} is not the file of a version` : `but ${path} is the file of ${claim.agentId}@${claim.version}`
}

/** Null when it is not registered. Agents may be called anything, also `constructor`. */
export function registeredVersion({ agents }: Registry, agentId: string, version: string): RegisteredVersion | null {
  const versions = Object.hasOwn(agents, agentId) ? agents[agentId]!.versions : {}
  return Object.hasOwn(versions, version) ? versions[version]! : null
}

const registeredAgent = ({ agents }: Registry, agentId: string): RegisteredAgent | undefined =>
  Object.hasOwn(agents, agentId) ? agents[agentId] : undefined

export const activeVersion = (registry: Registry, agentId: string): string | null => registeredAgent(registry, agentId)?.active ?? null

export const printRegistry = (registry: Registry): string => jsonFile(registry)

export interface ActivateVersion {
  readonly agentId: string
  readonly version: string
  readonly entry: { path: string; digest: Digest; semantic: Digest; schemas: Readonly<Record<string, Digest>> }
  readonly at: string
  readonly why?: string
}

export type RegistryRefusal = {
  readonly code: 'version_retired' | 'version_changed' | 'version_active' | 'version_unknown'
  readonly message: string
}
export type RegistryOutcome = { readonly ok: true; readonly registry: Registry } | { readonly ok: false; readonly refusal: RegistryRefusal }

const refuse = (code: RegistryRefusal['code'], message: string): RegistryOutcome => ({ ok: false, refusal: { code, message } })

/** Registers the version when it is new, and makes it the active one. The version that was active becomes deprecated. */
export function activate(registry: Registry, { agentId, version, entry, at, why }: ActivateVersion): RegistryOutcome {
  const agent = registeredAgent(registry, agentId)
  const existing = registeredVersion(registry, agentId, version)
  if (existing?.status === 'retired') return refuse('version_retired', `${agentId}@${version} is retired and cannot be activated`)
  const changed = existing === null ? undefined : whatChanged(existing, entry)
  if (changed !== undefined) return refuse('version_changed', `${agentId}@${version} is registered with ${changed}: bump it instead`)
  const from = agent?.active ?? null
  if (from === version) return refuse('version_active', `${agentId}@${version} is active already`)
  const versions: Record<string, RegisteredVersion> = { ...agent?.versions }
  const before = from === null ? undefined : versions[from]
  if (from !== null && before !== undefined) versions[from] = { ...before, status: 'deprecated' }
  versions[version] = { ...entry, status: 'active' }
  const history = [...(agent?.history ?? []), { from, to: version, at, ...(why === undefined ? {} : { why }) }]
  return { ok: true, registry: { ...registry, agents: { ...registry.agents, [agentId]: { active: version, versions, history } } } }
}

function whatChanged(existing: RegisteredVersion, entry: ActivateVersion['entry']): string | undefined {
  if (existing.digest !== entry.digest) return 'other content'
  const schema = Object.keys(existing.schemas).find(uri => existing.schemas[uri] !== entry.schemas[uri])
  return schema === undefined ? undefined : `another ${schema}`
}

/** The version that was active before the present one. */
export const previousActive = (registry: Registry, agentId: string): string | null =>
  previousOf((registeredAgent(registry, agentId)?.history ?? []).map(({ to }) => to))

/** The version before the last, of versions that were active one after the other. Going back undoes a move, so the version it left is not returned again. */
export function previousOf(activated: readonly string[]): string | null {
  const path: string[] = []
  for (const version of activated) {
    if (path.at(-2) === version) path.pop()
    else path.push(version)
  }
  return path.at(-2) ?? null
}

export function retire(registry: Registry, agentId: string, version: string): RegistryOutcome {
  const agent = registeredAgent(registry, agentId)
  const existing = registeredVersion(registry, agentId, version)
  if (agent === undefined || existing === null) return refuse('version_unknown', `${agentId}@${version} is not registered`)
  if (agent.active === version) return refuse('version_active', `${agentId}@${version} is active: activate another version first`)
  const versions = { ...agent.versions, [version]: { ...existing, status: 'retired' as const } }
  return { ok: true, registry: { ...registry, agents: { ...registry.agents, [agentId]: { ...agent, versions } } } }
}
