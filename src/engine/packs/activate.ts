// Makes a version the active one, in the registry and in a record: only a version that passes checks and tests, and only the bytes that passed.
import { digestText } from '../../core/digest/digest.ts'
import { templatesOfPack } from '../../core/library/from-pack.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import { semanticDigest } from '../../core/pack/pack.ts'
import { activate, activeVersion, previousActive, previousOf } from '../../core/pack/registry.ts'
import { digestsOf } from '../../core/schema/schemas.ts'
import { Fault } from '../../errors.ts'
import type { Clock, Validator } from '../../ports.ts'
import { type PackSchemas, schemasOfPack } from '../library/pack-schemas.ts'
import { checkPacks } from './check.ts'
import { findPack, REGISTRY_FILE, type Workspace } from './pack-folder.ts'
import type { ActiveTemplate } from './publish-packs.ts'
import { type TestOptions, testPacks } from './test-packs.ts'
import { changeRegistry, loadPack } from './versions.ts'

export interface ActivateRequest {
  readonly agentId: string
  /** Null: the version that was active before. */
  readonly version: string | null
  readonly why?: string
  readonly validator: Validator
  readonly test: TestOptions
  /** Where the label `active` is moved; null when there is no record. */
  readonly record: PackRecord | null
}

/** The library that a command works on: in this process, or of a host. */
export interface PackRecord {
  /** Versions that were active, oldest first. */
  history(agentId: string): Promise<readonly string[]>
  activate(request: {
    readonly templates: readonly LibraryTemplate[]
    readonly schemas: readonly PackSchemas[]
    readonly why: string | null
  }): Promise<{ readonly changed: boolean; readonly from: string | null; readonly active: readonly ActiveTemplate[] }>
}

export interface Activated {
  readonly agentId: string
  readonly from: string | null
  readonly to: string
  /** The active versions of the pack's templates in the record. Left out without a record. */
  readonly active?: readonly ActiveTemplate[]
}

export async function activateVersion(workspace: Workspace, request: ActivateRequest, clock: Clock): Promise<Activated> {
  const { agentId, why } = request
  const version = request.version ?? previousActive(workspace.registry, agentId) ?? (await previousIn(request.record, agentId))
  if (version === null)
    throw new Fault('registry_refused', { reason: `${agentId} has no earlier version to go back to`, code: 'history_empty' })
  const path = findPack(workspace, `${agentId}@${version}`)
  const { text, pack } = await loadPack(workspace, path)
  await prove(workspace, path, request)
  const schemas = { ...digestsOf(pack.inputSchema, workspace.schemas), ...digestsOf(pack.outputSchema, workspace.schemas) }
  const entry = { path, digest: digestText(text), semantic: semanticDigest(pack), schemas }
  return changeRegistry<Activated>(workspace.files, async registry => {
    const now = await loadPack(workspace, path)
    if (now.text !== text) throw new Fault('registry_refused', { reason: `${path} changed while it was tested`, code: 'version_changed' })
    const from = activeVersion(registry, agentId)
    const outcome = activate(registry, { agentId, version: pack.version, entry, at: clock(), ...(why === undefined ? {} : { why }) })
    const { record } = request
    const isRefused = !outcome.ok && !(outcome.refusal.code === 'version_active' && record !== null)
    if (isRefused || record === null) return { outcome, result: { agentId, from, to: pack.version } }
    // The record first: when the registry cannot be written, the same command again brings both together.
    const templates = templatesOfPack(pack, workspace.schemas)
    const schemas = [schemasOfPack(pack, workspace.schemas)]
    const moved = await record.activate({ templates, schemas, why: why ?? null })
    if (!outcome.ok && !moved.changed) return { outcome, result: { agentId, from, to: pack.version } }
    return {
      outcome: outcome.ok ? outcome : { ok: true, registry },
      result: { agentId, from: from ?? moved.from, to: pack.version, active: moved.active },
    }
  })
}

/** A pack that was never activated by hand is active since it was published: the record knows. */
const previousIn = async (record: PackRecord | null, agentId: string): Promise<string | null> =>
  record === null ? null : previousOf(await record.history(agentId))

/** Throws for a pack with an error or a failed test. A broken registry has a fault of its own. */
async function prove(workspace: Workspace, path: string, { validator, test }: ActivateRequest): Promise<void> {
  const findings = workspace.findings.filter(({ file }) => file !== REGISTRY_FILE)
  for await (const checked of checkPacks(workspace, validator, [path])) findings.push(...checked.findings)
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Fault('checks_failed', { what: errors[0]!.file, errors: errors.length })
  const failed = (await testPacks(workspace, validator, [path], test)).find(({ status }) => status !== 'pass')
  if (failed !== undefined)
    throw new Fault('tests_failed', {
      what: path,
      problem: `${failed.example ?? 'the pack'}: ${failed.problems[0]?.message ?? failed.status}`,
    })
}
