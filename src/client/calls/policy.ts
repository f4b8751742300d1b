// Reads the policy of a host, as far as it concerns the caller. The policy is a file of the operator; nothing changes it over HTTP.
import type { ExplainedPolicy, ExplainRequest, PolicyDescription } from '../../wire/onbook/policy.ts'
import { answerWith } from '../shapes.ts'
import type { CallOptions, Transport } from '../transport.ts'

export interface Policy {
  get(options?: CallOptions): Promise<PolicyDescription>
  /** Shows how the gate would decide a call. Nothing is called. */
  explain(request: ExplainRequest, options?: CallOptions): Promise<ExplainedPolicy>
}

const PATH = '/v1/policy'

export function createPolicy(transport: Transport): Policy {
  return {
    async get(options = {}) {
      const { body } = await transport.ask({ method: 'GET', path: PATH, ...options })
      return answerWith(body, 'grants') as PolicyDescription
    },
    async explain(request, options = {}) {
      const { body } = await transport.ask({ method: 'POST', path: `${PATH}:explain`, body: request, ...options })
      return answerWith(body, 'conditions') as ExplainedPolicy
    },
  }
}
