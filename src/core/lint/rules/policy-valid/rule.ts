import { POLICY_FILE, readPolicy } from '../../../gate/read-policy.ts'
import type { LayoutRule } from '../../rule.ts'

export const policyValid: LayoutRule = {
  name: 'policy-valid',
  summary: 'onbook.policy.yaml is of its format, and every pattern in it can fit something.',
  severity: 'error',

  *checkLayout({ texts }) {
    for (const { message, position } of readPolicy(texts.get(POLICY_FILE) ?? '').problems) yield { file: POLICY_FILE, message, position }
  },
}
