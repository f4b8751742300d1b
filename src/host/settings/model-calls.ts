// The modelCalls section of onbook.host.yaml: limits of a provider's answer. Command-line agents have limits of their own.
import { Type } from 'typebox'

const number = (description: string, maximum: number) => Type.Optional(Type.Integer({ minimum: 1, maximum, description }))

export const modelCallsFormat = Type.Object(
  {
    timeoutMs: number('For the whole answer: half an hour unless it is said. In milliseconds.', 2_147_483_647),
    // After this time Node's own HTTP client gives up.
    idleMs: number('How long nothing may come, before an answer begins as well: four minutes unless it is said. In milliseconds.', 300_000),
    maxReplyBytes: number('Of the body of an answer: 64 MiB unless it is said.', 256 * 1024 * 1024),
  },
  { additionalProperties: false, description: 'What an answer of a provider may take; cliAgents have limits of their own.' },
)

export type ModelCalls = Readonly<Type.Static<typeof modelCallsFormat>>
