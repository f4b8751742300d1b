// The policy of a host, as far as it concerns whoever asks. Nothing changes it over HTTP: it is a file of the operator.
import type { ExplainedPolicy, ExplainRequest, PolicyDescription } from '../../wire/onbook/policy.ts'
import { answerWith } from '../shapes.ts'
import type { CallOptions, Transport } from '../transport.ts'

export interface Policy {
  get(options?: CallOptions): Promise<PolicyDescription>
  /** What the gate would say of a call. Nothing is called. */
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
