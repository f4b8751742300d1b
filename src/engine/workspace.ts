// A workspace folder, read once: its configuration, schemas and registry, and which files are packs. Decides nothing about them.
import semver from 'semver'
import type { Json } from '../core/digest/digest.ts'
import { type Config, defaultConfig, readConfig } from '../core/lint/config.ts'
import type { Finding } from '../core/lint/lint.ts'
import { positionOf, type Span } from '../core/pack/place.ts'
import { activeVersion, emptyRegistry, type Registry, readRegistry } from '../core/pack/registry.ts'
import { readJson } from '../core/schema/json-text.ts'
import { collectSchemas, type Schemas } from '../core/schema/schemas.ts'
import { Fault } from '../errors.ts'
import type { Files } from '../ports.ts'

export const CONFIG_FILE = 'onbook.config.yaml'
export const REGISTRY_FILE = 'onbook.registry.json'
export const MAX_PACK_BYTES = 4 * 1024 * 1024
const MAX_SCHEMA_BYTES = 4 * 1024 * 1024

export interface Workspace {
  readonly files: Files
  readonly config: Config
  readonly schemas: Schemas
  readonly registry: Registry
  /** Every pack file, relative to the workspace. */
  readonly packs: readonly string[]
  /** What is wrong with the workspace's own files. */
  readonly findings: readonly Finding[]
}

export async function openWorkspace(files: Files): Promise<Workspace> {
  const [config, schemas, registry, packs] = await Promise.all([
    loadConfig(files),
    loadSchemas(files),
    loadRegistry(files),
    listPacks(files),
  ])
  return {
    files,
    packs,
    config: config.config,
    schemas: schemas.schemas,
    registry: registry.registry,
    findings: [
      ...weigh([...config.findings, ...schemas.findings, ...registry.findings], config.config),
      ...findMissing(registry.registry, packs),
      ...findTwins(packs),
    ],
  }
}

/** The configuration may speak about these findings as about any other. */
export function weigh(findings: readonly Finding[], { rules }: Config): readonly Finding[] {
  const severity = rules['workspace-file']?.severity
  if (severity === 'off') return []
  // An info stays one, as with every rule: what the configuration sets is the upper limit.
  return severity === undefined ? findings : findings.map(finding => (finding.severity === 'info' ? finding : { ...finding, severity }))
}

export const isPackFile = (path: string): boolean => /\.ya?ml$/.test(path) && !/\.script\.ya?ml$/.test(path) && path !== CONFIG_FILE

/** Packs live under prompts/; a folder without one is taken to hold packs itself. */
async function listPacks(files: Files): Promise<readonly string[]> {
  const folder = (await files.kind('prompts')) === 'folder' ? 'prompts' : ''
  return (await files.list(folder)).filter(isPackFile)
}

/** Registered versions whose file is gone. A retired one may go. */
function findMissing({ agents }: Registry, packs: readonly string[]): readonly Finding[] {
  const gone = Object.entries(agents).flatMap(([agentId, { versions }]) =>
    Object.entries(versions).flatMap(([version, { path, status }]) =>
      status === 'retired' || packs.includes(path) ? [] : [`${agentId}@${version} is registered, but ${path} is gone`],
    ),
  )
  return gone.map(message => ({ ...workspaceFinding(REGISTRY_FILE, message), rule: 'published-changed', suggestion: 'restore the file' }))
}

/** Two files of one folder that claim the same version: v1.0.0.yaml and v1.0.0.yml. */
function findTwins(packs: readonly string[]): readonly Finding[] {
  const twins = [...siblingsOf(packs).values()].flatMap(files =>
    files.filter(({ version }, index) => files.findIndex(other => other.version === version) < index),
  )
  return twins.map(({ path, version }) => ({
    ...workspaceFinding(path, `Another file of this folder is version ${version} too`),
    rule: 'pack-identity',
  }))
}

/** The version a file's name claims. */
export function versionOfPath(path: string): string | null {
  const version = /\/v([^/]+)\.ya?ml$/.exec(path)?.[1] ?? ''
  return semver.valid(version) === null ? null : version // as written: semver would drop the build
}

/** The file of the newest version of the same agent that is older than this one. */
export function previousPath({ packs }: Pick<Workspace, 'packs'>, path: string): string | null {
  const version = versionOfPath(path)
  if (version === null) return null
  const older = siblingsOf(packs)
    .get(folderOf(path))
    ?.filter(other => semver.lt(other.version, version))
  return older?.reduce((newest, other) => (semver.gt(other.version, newest.version) ? other : newest), older[0]!)?.path ?? null
}

interface VersionFile {
  readonly path: string
  readonly version: string
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
const siblings = new WeakMap<readonly string[], ReadonlyMap<string, readonly VersionFile[]>>()

/** The versions in each folder. Found once for a list of packs: asking is as frequent as there are packs. */
function siblingsOf(packs: readonly string[]): ReadonlyMap<string, readonly VersionFile[]> {
  const known = siblings.get(packs)
  if (known !== undefined) return known
  const found = new Map<string, VersionFile[]>()
  for (const path of packs) {
    const version = versionOfPath(path)
    if (version === null) continue
    const folder = folderOf(path)
    const files = found.get(folder)
    if (files === undefined) found.set(folder, [{ path, version }])
    else files.push({ path, version })
  }
  siblings.set(packs, found)
  return found
}

export function workspaceFinding(file: string, message: string, text = '', at: Span = { start: 0, end: 1 }): Finding {
  const from = positionOf(text, at.start)
  const to = positionOf(text, at.end)
  return {
    file,
    rule: 'workspace-file',
    severity: 'error',
    message,
    line: from.line,
    column: from.column,
    endLine: to.line,
    endColumn: to.column,
  }
}

async function loadConfig(files: Files): Promise<{ config: Config; findings: Finding[] }> {
  const read = await files.readText(CONFIG_FILE, MAX_SCHEMA_BYTES)
  if (!read.ok)
    return {
      config: defaultConfig,
      findings: read.missing ? [] : [workspaceFinding(CONFIG_FILE, `The file cannot be read: ${read.message}`)],
    }
  const { config, problems } = readConfig(read.text)
  return { config, findings: problems.map(problem => workspaceFinding(CONFIG_FILE, problem.message, read.text, problem)) }
}

async function loadSchemas(files: Files): Promise<{ schemas: Schemas; findings: Finding[] }> {
  if ((await files.kind('schemas')) !== 'folder') return { schemas: new Map(), findings: [] }
  const findings: Finding[] = []
  const parsed: { path: string; schema: Json }[] = []
  for (const path of await files.list('schemas')) {
    if (!path.endsWith('.json')) continue
    const read = await files.readText(path, MAX_SCHEMA_BYTES)
    if (!read.ok) {
      findings.push(workspaceFinding(path, `The file cannot be read: ${read.message}`))
      continue
    }
    const schema = readJson(read.text)
    if (!schema.ok)
      findings.push(
        workspaceFinding(path, `The file is not JSON: ${schema.message}`, read.text, { start: schema.offset, end: schema.offset + 1 }),
      )
    else parsed.push({ path, schema: schema.value })
  }
  const { schemas, problems } = collectSchemas(parsed)
  for (const { path, message, severity } of problems) findings.push({ ...workspaceFinding(path, message), severity })
  return { schemas, findings }
}

async function loadRegistry(files: Files): Promise<{ registry: Registry; findings: Finding[] }> {
  const read = await files.readText(REGISTRY_FILE, MAX_PACK_BYTES)
  if (!read.ok)
    return {
      registry: emptyRegistry,
      findings: read.missing ? [] : [workspaceFinding(REGISTRY_FILE, `The file cannot be read: ${read.message}`)],
    }
  const parsed = readRegistry(read.text)
  return parsed.ok
    ? { registry: parsed.registry, findings: [] }
    : {
        registry: emptyRegistry,
        findings: [workspaceFinding(REGISTRY_FILE, parsed.message, read.text, { start: parsed.offset, end: parsed.offset + 1 })],
      }
}

/** A path, `agent`, `agent@1.0.0` or `prompt:agent@1.0.0` → the file. Without a version: the active one, else the newest. */
export function findPack({ packs, registry }: Pick<Workspace, 'packs' | 'registry'>, ref: string): string {
  if (packs.includes(ref)) return ref
  const [agentId = '', version] = ref.replace(/^prompt:/, '').split('@')
  const own = packs.filter(path => path.split('/').at(-2) === agentId && versionOfPath(path) !== null)
  const wanted = version ?? activeVersion(registry, agentId) ?? own.map(path => versionOfPath(path)!).sort(semver.rcompare)[0]
  const found = own.find(path => versionOfPath(path) === wanted)
  if (found !== undefined) return found
  const known = packs.filter(path => versionOfPath(path) !== null).map(path => `${path.split('/').at(-2)}@${versionOfPath(path)}`)
  throw new Fault('pack_missing', { ref, known: known.slice(0, 10) })
}
