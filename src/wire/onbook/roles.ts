// Types of /v1/roles.
import type { Document } from './document.ts'
import type { roleAnswer, rolesAnswer } from './role-schema.ts'

export type RoleSummary = Document<typeof rolesAnswer>['roles'][number]
export type RoleDescription = Document<typeof roleAnswer>
export type RoleOrigin = RoleSummary['source']
export type RoleFinding = RoleSummary['problems'][number]
