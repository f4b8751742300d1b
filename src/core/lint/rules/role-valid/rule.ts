import { readRole } from '../../../role/role.ts'
import { MOST_ROLE_BYTES, roleNameProblem } from '../../../role/role-name.ts'
import { bytesOf, type FoundInFile, isRole, type Layout, textsOf } from '../../layout.ts'
import type { LayoutRule } from '../../rule.ts'

export const roleValid: LayoutRule = {
  name: 'role-valid',
  summary:
    'Every role file can be used: its name is one, its head can be read and asks for what the gate knows, and its sections are there.',
  severity: 'error',

  *checkLayout(layout: Layout) {
    for (const [file, text] of textsOf(layout, isRole)) yield* problemsOf(file, text)
  },
}

function problemsOf(file: string, text: string): readonly FoundInFile[] {
  const name = file.slice(file.lastIndexOf('/') + 1, -'.md'.length)
  const nameProblem = roleNameProblem(name)
  // No run can name it, so its content does not matter.
  if (nameProblem !== null) return [{ file, severity: 'warning', message: `${nameProblem}. No run reads this file` }]
  if (bytesOf(text).length > MOST_ROLE_BYTES) return [{ file, message: `A role has at most ${MOST_ROLE_BYTES / 1024} kB` }]
  return readRole(text, name).problems.map(problem => ({ file, ...problem }))
}
