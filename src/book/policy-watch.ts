// Detects that the policy file differs from the policy of this process. Reads the file again only after it was written.
import { statSync } from 'node:fs'
import { canonicalJson, type Json } from '../core/digest/digest.ts'
import type { HostPolicy } from '../core/gate/host-policy.ts'
import { POLICY_FILE } from '../core/gate/read-policy.ts'
import type { RunWarning } from '../core/run/warning.ts'
import { readPolicyFile } from './policy-file.ts'
import type { Settings } from './settings.ts'

export function policyWatch(settings: Settings, active: HostPolicy): () => Promise<readonly RunWarning[]> {
  const path = typeof settings.policy === 'string' ? settings.policy : POLICY_FILE
  let checked = { written: writtenAt(path), isOutdated: false }
  return async () => {
    const written = writtenAt(path)
    if (written !== checked.written) checked = { written, isOutdated: !(await isSame(settings, active)) }
    if (!checked.isOutdated) return []
    const message = `${path} was changed after this host started, and the host still uses the old policy. Restart the host to use the new one.`
    return [{ code: 'policy_outdated', message }]
  }
}

/** Null where there is no file. */
const writtenAt = (path: string): number | null => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null

/** A file that cannot be read or is invalid is not what the host uses. */
const isSame = (settings: Settings, active: HostPolicy): Promise<boolean> =>
  readPolicyFile(settings).then(
    ({ policy }) => canonicalJson(policy as unknown as Json) === canonicalJson(active as unknown as Json),
    () => false,
  )
