// GET /v1/verify: whether the tenant's part of the record is unchanged. An operator who does not trust a host verifies the file, or exported runs.
import type { FastifyInstance } from 'fastify'
import { isLimited } from '../../../engine/access/membership.ts'
import { Fault } from '../../../errors.ts'
import { verifiedAnswer } from '../../../wire/onbook/verify-schema.ts'
import { principalOf } from '../../access/access.ts'
import type { HostParts } from '../../app.ts'
import { answers } from '../answers.ts'
import type { LongQuestions } from './long-questions.ts'

export function verifyRoutes(app: FastifyInstance, { verify }: HostParts, questions: LongQuestions): void {
  app.get(
    '/v1/verify',
    {
      schema: {
        operationId: 'verifyRecord',
        response: answers(verifiedAnswer, 'Every stream, object and row of the tenant, compared with what was written and signed.'),
      },
    },
    async request => {
      const principal = principalOf(request, 'record:read')
      // The answer counts and names streams of every workspace.
      if (isLimited(principal)) throw new Fault('workspace_membership_required', { workspaceId: '*' })
      if (verify === undefined) throw new Fault('capability_not_provided', { capability: 'verification' })
      return questions.ask(principal.tenant, pause => verify(principal.tenant, pause))
    },
  )
}
