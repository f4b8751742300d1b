// Makes a version the active one: only what passes checks and tests, and only the very bytes that passed.
import { digestText } from '../core/digest/digest.ts'
import { semanticDigest } from '../core/pack/pack.ts'
import { activate, activeVersion, previousActive } from '../core/pack/registry.ts'
import { digestsOf } from '../core/schema/schemas.ts'
import { Fault } from '../errors.ts'
import type { Clock, Validator } from '../ports.ts'
import { checkPacks } from './check.ts'
import { type TestOptions, testPacks } from './test-packs.ts'
import { changeRegistry, loadPack } from './versions.ts'
import { findPack, REGISTRY_FILE, type Workspace } from './workspace.ts'

export interface ActivateRequest {
  readonly agentId: string
  /** Null: the version that was active before. */
  readonly version: string | null
  readonly why?: string
  readonly validator: Validator
  readonly test: TestOptions
}

export interface Activated {
  readonly agentId: string
  readonly from: string | null
  readonly to: string
}

export async function activateVersion(workspace: Workspace, request: ActivateRequest, clock: Clock): Promise<Activated> {
  const { agentId, why } = request
  const version = request.version ?? previousActive(workspace.registry, agentId)
  if (version === null)
    throw new Fault('registry_refused', { reason: `${agentId} has no earlier version to go back to`, code: 'history_empty' })
  const path = findPack(workspace, `${agentId}@${version}`)
  const { text, pack } = await loadPack(workspace, path)
  await prove(workspace, path, request)
  const schemas = { ...digestsOf(pack.inputSchema, workspace.schemas), ...digestsOf(pack.outputSchema, workspace.schemas) }
  const entry = { path, digest: digestText(text), semantic: semanticDigest(pack), schemas }
  return changeRegistry(workspace.files, async registry => {
    const now = await loadPack(workspace, path)
    if (now.text !== text) throw new Fault('registry_refused', { reason: `${path} changed while it was tested`, code: 'version_changed' })
    const from = activeVersion(registry, agentId)
    const outcome = activate(registry, { agentId, version: pack.version, entry, at: clock(), ...(why === undefined ? {} : { why }) })
    return { outcome, result: { agentId, from, to: pack.version } }
  })
}

/** Refuses, by throwing, what has an error or does not pass every test. A broken registry has a fault of its own. */
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
