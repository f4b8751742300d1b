import type { Bump } from '../../core/pack/changes.ts'
import { editScalars, nextId, nextVersion, setDate } from '../../core/pack/edit.ts'
import { pathOfVersion, scriptOf } from '../../core/pack/identity.ts'
import { type Pack, readPack } from '../../core/pack/pack.ts'
import { positionText } from '../../core/pack/place.ts'
import { emptyRegistry, printRegistry, type Registry, type RegistryOutcome, readRegistry, retire } from '../../core/pack/registry.ts'
import { readYaml } from '../../core/pack/yaml.ts'
import { Fault } from '../../errors.ts'
import type { Clock, Files } from '../../ports.ts'
import { findPack, MAX_PACK_BYTES, REGISTRY_FILE, type Workspace } from './pack-folder.ts'

export interface LoadedPack {
  readonly path: string
  readonly text: string
  readonly pack: Pack
}

export async function loadPack({ files }: Workspace, path: string): Promise<LoadedPack> {
  const read = await files.readText(path, MAX_PACK_BYTES)
  if (!read.ok) throw new Fault('file_unreadable', { path, reason: read.message })
  const { pack, document, errors } = readPack(read.text)
  if (pack === null)
    throw new Fault('pack_invalid', { path, problem: document.problems[0]?.message ?? errors[0]?.message ?? 'it is empty' })
  return { path, text: read.text, pack }
}

export interface Bumped {
  readonly from: string
  readonly to: string
  readonly path: string
}

/** Copies the pack to its next version's file with version, id and date set, and its script with it. The old file stays as it is. */
export async function bumpPack(workspace: Workspace, ref: string, bump: Bump, clock: Clock): Promise<Bumped> {
  const { path, text, pack } = await loadPack(workspace, findPack(workspace, ref))
  const to = nextVersion(pack.version, bump)!
  const target = pathOfVersion(path, to)
  const edited = editScalars(readPack(text).document, [
    { pointer: ['version'], value: to },
    { pointer: ['id'], value: nextId(pack.id, pack.agentId, pack.version, to) },
  ])
  const dated = setDate(readYaml(edited), clock())
  if (!(await workspace.files.createText(target, dated))) throw new Fault('path_exists', { path: target })
  const script = await workspace.files.readText(scriptOf(path), MAX_PACK_BYTES)
  if (script.ok) await workspace.files.createText(scriptOf(target), script.text)
  return { from: pack.version, to, path: target }
}

/** @param inRecord retires it where it is published; called only when the registry admits it */
export async function retireVersion(files: Files, agentId: string, version: string, inRecord: () => Promise<void>): Promise<void> {
  await changeRegistry(files, async registry => {
    const outcome = retire(registry, agentId, version)
    if (outcome.ok) await inRecord()
    return { outcome, result: undefined }
  })
}

/** Reads, changes and replaces the registry under a lock. */
export async function changeRegistry<T>(
  files: Files,
  change: (registry: Registry) => Promise<{ outcome: RegistryOutcome; result: T }>,
): Promise<T> {
  return files.exclusively(REGISTRY_FILE, async () => {
    const { outcome, result } = await change(await currentRegistry(files))
    if (!outcome.ok) throw new Fault('registry_refused', { reason: outcome.refusal.message, code: outcome.refusal.code })
    await files.writeText(REGISTRY_FILE, printRegistry(outcome.registry))
    return result
  })
}

async function currentRegistry(files: Files): Promise<Registry> {
  const read = await files.readText(REGISTRY_FILE, MAX_PACK_BYTES)
  if (!read.ok && !read.missing) throw new Fault('file_unreadable', { path: REGISTRY_FILE, reason: read.message })
  if (!read.ok) return emptyRegistry
  const parsed = readRegistry(read.text)
  if (parsed.ok) return parsed.registry
  const problem = `${positionText(read.text, parsed.at.start)}: ${parsed.message}`
  throw new Fault('registry_invalid', { path: REGISTRY_FILE, problem })
}
