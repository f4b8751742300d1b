// What sessions are allowed, from the file that is named or lies where onbook is started. Never from a workspace.
import { existsSync } from 'node:fs'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { DEFAULT_POLICY, type HostPolicy } from '../../core/gate/host-policy.ts'
import { HOST_POLICY, recordConfig } from '../../engine/record-config.ts'
import { Fault } from '../../errors.ts'
import { readPolicyFile } from '../../host/policy-file.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { actorOf, readText } from '../record/open-record.ts'

const POLICY_FILE = 'onbook.policy.yaml'

/** What is not as it was is on record before anything is allowed by it, where a record is given. */
export async function policyOf({ policy: given }: Input, record: Store | null): Promise<HostPolicy> {
  const path = typeof given === 'string' ? given : POLICY_FILE
  const text = given === undefined && !existsSync(path) ? '' : await readText(path)
  const { policy, problems } = readPolicyFile(text)
  if (problems.length > 0) throw new Fault('policy_invalid', { path, problem: problems.join('; ') })
  if (record !== null)
    await recordConfig(record, actorOf(), policy as unknown as JsonObject, DEFAULT_POLICY as unknown as JsonObject, HOST_POLICY)
  return policy
}
