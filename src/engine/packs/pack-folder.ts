// Folder: A folder of packs: opened, checked, tested, bumped, activated, published.
// Reads a workspace folder once: its configuration, schemas and registry, and which files are packs. Decides nothing about them.
import semver from 'semver'
import type { Json } from '../../core/digest/digest.ts'
import { type Config, defaultConfig, readConfig } from '../../core/lint/config.ts'
import { isAgentFile, isWorkflowFile } from '../../core/lint/layout.ts'
import type { Finding } from '../../core/lint/lint.ts'
import { claimOf, folderOf, isScript, versionOfPath } from '../../core/pack/identity.ts'
import { positionsIn, type Span } from '../../core/pack/place.ts'
import { activeVersion, emptyRegistry, misplacedVersions, placesInRegistry, type Registry, readRegistry } from '../../core/pack/registry.ts'
import { readJson } from '../../core/schema/json-text.ts'
import { collectSchemas, type Schemas } from '../../core/schema/schemas.ts'
import { Fault } from '../../errors.ts'
import type { Files } from '../../ports.ts'

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
  /** Problems with the workspace's own files. */
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
      ...findMisplaced(registry, packs),
      ...findTwins(packs),
    ],
  }
}

/** The configuration may speak about these findings as about any other. */
export function weigh(findings: readonly Finding[], { rules }: Config): readonly Finding[] {
  const severity = rules['workspace-file']?.severity
  if (severity === 'off') return []
  // An info stays an info, as with every rule: the configured severity is the upper limit.
  return severity === undefined ? findings : findings.map(finding => (finding.severity === 'info' ? finding : { ...finding, severity }))
}

/** An unreadable folder may hold packs: it is listed with them, and reported as unreadable later. */
export const isPackFile = (path: string): boolean =>
  isClosedFolder(path) || (/\.ya?ml$/.test(path) && ![isSettings, isScript, isAgentFile, isWorkflowFile].some(is => is(path)))

/** Ours, wherever packs lie. */
const isSettings = (path: string): boolean => /^onbook\.(?:config|host|policy)\.yaml$/.test(path)

export const isClosedFolder = (path: string): boolean => path.endsWith('/')

/** Packs live under prompts/; a folder without one is taken to hold packs itself. */
async function listPacks(files: Files): Promise<readonly string[]> {
  const folder = (await files.kind('prompts')) === 'folder' ? 'prompts' : ''
  return (await files.list(folder)).filter(isPackFile)
}

/** Registered versions whose path leads nowhere, or to a file that is not theirs. */
function findMisplaced({ registry, text }: LoadedRegistry, packs: readonly string[]): readonly Finding[] {
  const there = new Set(packs)
  const closed = packs.filter(isClosedFolder)
  // A file in an unreadable folder may still exist, so it does not count as missing.
  const problems = misplacedVersions(registry, path => there.has(path) || closed.some(folder => path.startsWith(folder)))
  if (problems.length === 0) return []
  const place = placesInRegistry(text)
  const position = positionsIn(text)
  return problems.map(({ message, pointer }) => ({
    ...workspaceFinding(REGISTRY_FILE, message, place(pointer), position),
    rule: 'published-changed',
    suggestion: 'restore the file, or the path',
  }))
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

const siblings = new WeakMap<readonly string[], ReadonlyMap<string, readonly VersionFile[]>>()

/** The versions in each folder. Computed once for a list of packs, because every pack asks. */
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

/** Without a place it is about the file as a whole. */
function workspaceFinding(file: string, message: string, at: Span = { start: 0, end: 1 }, position = positionsIn('')): Finding {
  const from = position(at.start)
  const to = position(at.end)
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

/** `reason`: the message of the read error. */
export const unreadable = (path: string, reason: string): Finding =>
  workspaceFinding(path, `The ${isClosedFolder(path) ? 'folder' : 'file'} cannot be read: ${reason}`)

async function loadConfig(files: Files): Promise<{ config: Config; findings: Finding[] }> {
  const read = await files.readText(CONFIG_FILE, MAX_SCHEMA_BYTES)
  if (!read.ok)
    return {
      config: defaultConfig,
      findings: read.missing ? [] : [unreadable(CONFIG_FILE, read.message)],
    }
  const { config, problems } = readConfig(read.text)
  const position = positionsIn(read.text)
  return { config, findings: problems.map(problem => workspaceFinding(CONFIG_FILE, problem.message, problem, position)) }
}

async function loadSchemas(files: Files): Promise<{ schemas: Schemas; findings: Finding[] }> {
  if ((await files.kind('schemas')) !== 'folder') return { schemas: new Map(), findings: [] }
  const findings: Finding[] = []
  const parsed: { path: string; schema: Json }[] = []
  for (const path of await files.list('schemas')) {
    if (!path.endsWith('.json') && !isClosedFolder(path)) continue
    const read = await files.readText(path, MAX_SCHEMA_BYTES)
    if (!read.ok) {
      findings.push(unreadable(path, read.message))
      continue
    }
    const schema = readJson(read.text)
    if (!schema.ok)
      findings.push(
        workspaceFinding(
          path,
          `The file is not JSON: ${schema.message}`,
          { start: schema.offset, end: schema.offset + 1 },
          positionsIn(read.text),
        ),
      )
    else parsed.push({ path, schema: schema.value })
  }
  const { schemas, problems } = collectSchemas(parsed)
  for (const { path, message, severity } of problems) findings.push({ ...workspaceFinding(path, message), severity })
  return { schemas, findings }
}

interface LoadedRegistry {
  readonly registry: Registry
  readonly text: string
  readonly findings: readonly Finding[]
}

async function loadRegistry(files: Files): Promise<LoadedRegistry> {
  const read = await files.readText(REGISTRY_FILE, MAX_PACK_BYTES)
  if (!read.ok) return { registry: emptyRegistry, text: '', findings: read.missing ? [] : [unreadable(REGISTRY_FILE, read.message)] }
  const { text } = read
  const parsed = readRegistry(text)
  if (parsed.ok) return { registry: parsed.registry, text, findings: [] }
  return { registry: emptyRegistry, text, findings: [workspaceFinding(REGISTRY_FILE, parsed.message, parsed.at, positionsIn(text))] }
}

/** A path, `agent`, `agent@1.0.0` or `prompt:agent@1.0.0` → the file. Without a version: the active one, else the newest. */
type KnownPacks = Pick<Workspace, 'packs' | 'registry'>

export const hasPack = (workspace: KnownPacks, ref: string): boolean => pathOfPack(workspace, ref) !== null

export function findPack(workspace: KnownPacks, ref: string): string {
  const found = pathOfPack(workspace, ref)
  if (found !== null) return found
  const known = workspace.packs.filter(path => versionOfPath(path) !== null).flatMap(path => claimOf(path) ?? [])
  const names = new Set(known.map(({ agentId, version }) => `${agentId}@${version}`))
  throw new Fault('pack_missing', { ref, known: [...names].slice(0, 10) })
}

function pathOfPack({ packs, registry }: KnownPacks, ref: string): string | null {
  if (packs.includes(ref)) return ref
  const [agentId = '', version] = ref.replace(/^prompt:/, '').split('@')
  const versioned = packs.filter(path => versionOfPath(path) !== null)
  const own = versioned.filter(path => claimOf(path)?.agentId === agentId)
  const wanted = version ?? activeVersion(registry, agentId) ?? own.map(path => versionOfPath(path)!).sort(semver.rcompare)[0]
  return own.find(path => versionOfPath(path) === wanted) ?? null
}
