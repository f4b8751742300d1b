import { POLICY_FILE, readPolicy } from '../../../gate/read-policy.ts'
import { shadowedGrants } from '../../../gate/shadowed.ts'
import type { LayoutRule } from '../../rule.ts'

export const policyShadowed: LayoutRule = {
  name: 'policy-shadowed',
  summary: 'Every grant of onbook.policy.yaml can decide something that none before it takes.',
  severity: 'warning',

  *checkLayout({ texts }) {
    const { policy, lines } = readPolicy(texts.get(POLICY_FILE) ?? '')
    for (const { grant, by } of shadowedGrants(policy.grants))
      yield {
        file: POLICY_FILE,
        pointer: ['grants', grant],
        message: `Grant ${grant + 1} never decides: grant ${by + 1}, on line ${lines[by]}, takes everything it names`,
        suggestion:
          policy.grants[by]!.deny === policy.grants[grant]!.deny ? 'remove it, or narrow the one before it' : 'put it before the other',
      }
  },
}
