import { nearest } from '../../../pack/nearest.ts'
import { rolePath } from '../../../role/role-name.ts'
import { shippedRoles } from '../../../role/shipped-roles.ts'
import type { Pointer } from '../../../schema/pointer.ts'
import { documentsOf } from '../../documents.ts'
import { type FoundInFile, isRole, type Layout } from '../../layout.ts'
import type { LayoutRule } from '../../rule.ts'

export const workflowRole: LayoutRule = {
  name: 'workflow-role',
  summary: 'Every role that a workflow or an agent names is in docs/templates/, or is shipped.',
  severity: 'error',

  *checkLayout(layout) {
    const { agents, workflows } = documentsOf(layout)
    for (const { file, read } of agents) yield* missing(layout, file, ['role'], read?.role ?? null)
    for (const { file, read, written } of workflows)
      for (const [index, { role }] of (read?.nodes ?? []).entries()) {
        const isAtNode = Object.hasOwn((written.nodes as readonly object[])[index]!, 'role')
        yield* missing(layout, file, ['nodes', index, ...(isAtNode ? [] : ['config']), 'role'], role)
      }
  },
}

function* missing({ paths }: Layout, file: string, pointer: Pointer, role: string | null): Iterable<FoundInFile> {
  if (role === null || shippedRoles.has(role) || paths.has(rolePath(role))) return
  const own = [...paths].filter(isRole).map(path => path.slice(path.lastIndexOf('/') + 1, -'.md'.length))
  const meant = nearest(role, [...shippedRoles.keys(), ...own])
  yield {
    file,
    pointer,
    message: `There is no role ${role}: neither ${rolePath(role)} nor one that is shipped`,
    suggestion:
      meant === null ? `write ${rolePath(role)}, or name one of ${[...shippedRoles.keys()].join(', ')}` : `did you mean ${meant}?`,
  }
}
