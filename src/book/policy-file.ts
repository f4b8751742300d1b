// Reads the policy of sessions from the named file, or from the folder where onbook is started. Never from a workspace.
import { existsSync } from 'node:fs'
import type { JsonObject } from '../core/digest/is-object.ts'
import { DEFAULT_POLICY } from '../core/gate/host-policy.ts'
import { type PlacedPolicy, POLICY_FILE, readPolicy } from '../core/gate/read-policy.ts'
import { HOST_POLICY, recordConfig } from '../engine/policy/record-config.ts'
import { Fault } from '../errors.ts'
import type { Store } from '../ports.ts'
import { actorOf, readText } from './record-folder.ts'
import type { Settings } from './settings.ts'

export interface PolicyFile extends PlacedPolicy {
  /** Null without a file: then the default policy holds. */
  readonly path: string | null
}

export async function readPolicyFile({ policy: given }: Settings): Promise<PolicyFile> {
  const path = typeof given === 'string' ? given : POLICY_FILE
  const isThere = given !== undefined || existsSync(path)
  const { policy, problems, lines } = readPolicy(isThere ? await readText(path) : '')
  if (problems.length === 0) return { path: isThere ? path : null, policy, lines }
  const messages = problems.map(({ message, position }) => `line ${position.line}, column ${position.column}: ${message}`)
  throw new Fault('policy_invalid', { path, problem: messages.join('; ') })
}

/** With a record, a changed policy is recorded before it allows anything. */
export async function policyOf(settings: Settings, record: Store | null): Promise<PlacedPolicy> {
  const { policy, lines } = await readPolicyFile(settings)
  if (record !== null)
    await recordConfig(record, actorOf(), policy as unknown as JsonObject, DEFAULT_POLICY as unknown as JsonObject, HOST_POLICY)
  return { policy, lines }
}
