// /v1/workspaces/:workspace/checks: lint and tests of a version, recorded under its root digest, so that they apply to exactly those bytes.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { type Checker, checksOf, checkVersion, reportOf, type VersionChecks } from '../../../engine/workspaces/checks.ts'
import { treeOf, type WorkspaceUser, type WorkspaceVersion } from '../../../engine/workspaces/versions.ts'
import { Fault } from '../../../errors.ts'
import { checkBody, checksAnswer, versionQuery, workspaceParams } from '../../../wire/onbook/workspace-schema.ts'
import { principalOf } from '../../access/access.ts'
import type { HostParts } from '../../app.ts'
import { answers } from '../answers.ts'
import type { LongQuestions } from '../questions/long-questions.ts'
import { userOf } from './writes.ts'

type Params = Static<typeof workspaceParams>

export function workspaceCheckRoutes(app: FastifyInstance, { store, checker }: HostParts, questions: LongQuestions): void {
  const answer = async (user: WorkspaceUser, { workspace, version }: WorkspaceVersion, checks: VersionChecks | null) => {
    const report = checks === null ? { findings: [], cases: [] } : await reportOf(store, user, checks)
    return { workspace, version, checks, ...report }
  }

  app.get<{ Params: Params; Querystring: Static<typeof versionQuery> }>(
    '/v1/workspaces/:workspace/checks',
    {
      schema: {
        operationId: 'getWorkspaceChecks',
        params: workspaceParams,
        querystring: versionQuery,
        response: answers(checksAnswer, 'The last check of exactly these files. Null: they were not checked, or hold nothing to check.'),
      },
    },
    async request => {
      const user = userOf(principalOf(request, 'workspaces:read'))
      const { version } = request.query
      const choice = { ...request.params, version: version === undefined ? undefined : Number(version) }
      const found = await treeOf(store, user, choice, 'resolve')
      return answer(user, found, await checksOf(store, user, found))
    },
  )

  app.post<{ Params: Params; Body: Static<typeof checkBody> }>(
    '/v1/workspaces/:workspace/checks',
    {
      schema: {
        operationId: 'checkWorkspace',
        params: workspaceParams,
        body: checkBody,
        response: answers(checksAnswer, 'Linted and tested. The result is in the record.'),
      },
    },
    async request => {
      const principal = principalOf(request, 'workspaces:write')
      principalOf(request, 'workspaces:read')
      const user = userOf(principal)
      const found = await treeOf(store, user, { ...request.params, version: request.body.version }, 'resolve')
      const check = (given: Checker) => checkVersion(store, { ...user, actor: principal.actor }, found, given)
      const known = await checksOf(store, user, found)
      if (checker === undefined) throw new Fault('capability_not_provided', { capability: 'workspace checks' })
      // The same release of the checker gives the same result for the same bytes.
      const checks = known?.checker === checker.name ? known : await questions.ask(user.tenant, () => check(checker))
      return answer(user, found, checks)
    },
  )
}
