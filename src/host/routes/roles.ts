// /v1/roles: the roles that runs of this host use. Read-only: roles are files.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { listRoles } from '../../engine/roles/list-roles.ts'
import { loadRole } from '../../engine/roles/load-role.ts'
import type { RoleFiles } from '../../ports.ts'
import { nameParams, roleAnswer, rolesAnswer } from '../../wire/onbook/role-schema.ts'
import type { RoleDescription } from '../../wire/onbook/roles.ts'
import { principalOf } from '../access/access.ts'
import { answers } from './answers.ts'

/** @param files null without a repo: then the shipped roles apply. */
export function roleRoutes(app: FastifyInstance, files: RoleFiles | null): void {
  app.get(
    '/v1/roles',
    {
      schema: {
        operationId: 'listRoles',

        response: answers(rolesAnswer, 'Every role, by name, also those that cannot be used, with what is wrong.'),
      },
    },
    async request => {
      principalOf(request, 'prompts:read')
      return { roles: await listRoles(files) }
    },
  )

  app.get<{ Params: Static<typeof nameParams> }>(
    '/v1/roles/:name',
    {
      schema: {
        operationId: 'getRole',
        params: nameParams,
        response: answers(roleAnswer, 'A role as a run that starts now would use it.'),
      },
    },
    async (request): Promise<RoleDescription> => {
      principalOf(request, 'prompts:read')
      const { role, ...loaded } = await loadRole(files, request.params.name)
      return { ...role, ...loaded }
    },
  )
}
