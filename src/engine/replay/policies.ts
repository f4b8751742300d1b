// The host policies that were active when a call was judged, as far as the store records them.
import { DEFAULT_POLICY, type HostPolicy } from '../../core/gate/host-policy.ts'
import type { Store } from '../../ports.ts'
import { type PolicyRevision, policyRevisions } from '../policy/policy-revisions.ts'

/** @returns policies that may have been active then, newest first: a process keeps the policy that it was started with. */
export function policiesAt(store: Store): (at: string) => Promise<readonly HostPolicy[]> {
  let all: Promise<readonly PolicyRevision[]> | undefined
  return async at => {
    all ??= policyRevisions(store)
    const then = (await all).filter(({ since }) => since.at <= at)
    return then.map(({ config }) => ({ ...DEFAULT_POLICY, ...(config as object) })).reverse()
  }
}
