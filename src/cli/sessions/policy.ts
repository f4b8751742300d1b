// What sessions are allowed, from the file that is named or lies where onbook is started. Never from a workspace.
import { existsSync, readFileSync } from 'node:fs'
import { reasonOf } from '../../adapters/reasons.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { DEFAULT_POLICY, type HostPolicy } from '../../core/gate/host-policy.ts'
import { HOST_POLICY, recordConfig } from '../../engine/record-config.ts'
import { Fault } from '../../errors.ts'
import { readPolicyFile } from '../../host/policy-file.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { actorOf } from '../record/open-record.ts'

const POLICY_FILE = 'onbook.policy.yaml'

function policyOf({ policy: given }: Input): HostPolicy {
  const path = typeof given === 'string' ? given : POLICY_FILE
  if (given === undefined && !existsSync(path)) return DEFAULT_POLICY
  const { policy, problems } = readPolicyFile(read(path))
  if (problems.length > 0) throw new Fault('policy_invalid', { path, problem: problems.join('; ') })
  return policy
}

/** A policy that is not what it was is on record before anything is allowed by it. */
export async function recordedPolicy(store: Store, input: Input): Promise<HostPolicy> {
  const policy = policyOf(input)
  await recordConfig(store, actorOf(), policy as unknown as JsonObject, DEFAULT_POLICY as unknown as JsonObject, HOST_POLICY)
  return policy
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Fault('file_unreadable', { path, reason: reasonOf(error) }, { cause: error })
  }
}
