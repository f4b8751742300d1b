import { REQUEST_IMPLEMENTATION } from '../../../gate/capability.ts'
import { POLICY_FILE, readPolicy } from '../../../gate/read-policy.ts'
import { nearest } from '../../../pack/nearest.ts'
import { shippedRoles } from '../../../role/shipped-roles.ts'
import { BUILT_IN } from '../../../tools/read-tool-calls.ts'
import { isDescriptor, isRole, type Layout } from '../../layout.ts'
import type { LayoutRule } from '../../rule.ts'

/** Bound by every host. */
const OF_EVERY_HOST = ['workspace.read', 'introspect.session', REQUEST_IMPLEMENTATION]

export const policyNames: LayoutRule = {
  name: 'policy-names',
  summary: 'No name in onbook.policy.yaml is nearly that of a tool or a role.',
  severity: 'warning',

  *checkLayout(layout) {
    const { grants } = readPolicy(layout.texts.get(POLICY_FILE) ?? '').policy
    const names = {
      tools: new Set([...BUILT_IN, ...OF_EVERY_HOST, ...namesOf(layout, isDescriptor)]),
      roles: new Set([...shippedRoles.keys(), ...namesOf(layout, isRole)]),
    }
    for (const [index, grant] of grants.entries())
      for (const part of ['tools', 'roles'] as const)
        for (const [at, name] of (grant[part] ?? []).entries()) {
          // An unknown name may be bound elsewhere: only a probable typo is reported.
          const meant = name.endsWith('*') || names[part].has(name) ? null : nearest(name, names[part])
          if (meant !== null)
            yield {
              file: POLICY_FILE,
              pointer: ['grants', index, part, at],
              message: `No ${part.slice(0, -1)} that is known here is called ${name}`,
              suggestion: `did you mean ${meant}?`,
            }
        }
  },
}

const namesOf = ({ paths }: Layout, is: (path: string) => boolean): readonly string[] =>
  [...paths].filter(is).map(path => path.slice(path.lastIndexOf('/') + 1, path.lastIndexOf('.')))
