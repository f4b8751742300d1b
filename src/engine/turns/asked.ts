// Reads the tool calls from a stored reply, in the call format of its step. Judges nothing.
import type { Digest } from '../../core/digest/digest.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import { type Asked, type AskedCall, askedIn } from '../../core/tools/asked-calls.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import type { OpenStep } from '../../core/turn/state.ts'
import type { Store } from '../../ports.ts'
import { rememberedContent } from '../reading/remembered.ts'
import { toolsIn } from './model-call.ts'

type Read = (digest: Digest) => Promise<Uint8Array>
type Shown = Pick<StepRequest, 'calls' | 'tools'>

/** Names of the tools that are called by line in a step; null when none is. */
export async function lineTools(read: Read, { calls, tools }: Shown): Promise<ReadonlySet<string> | null> {
  if (calls === undefined) return null
  return new Set((await toolsIn(read, tools ?? [])).tools.map(({ name }) => name))
}

export async function askedOf(read: Read, shown: Shown, reply: Uint8Array): Promise<Asked> {
  const found = readMessages(reply)
  return askedIn(found.ok ? found.messages.flatMap(({ content }) => content) : [], await lineTools(read, shown))
}

/** A call is known by its place in the reply: the model's own id for it, which its result must name, is untrusted text. */
export async function askedCall(
  store: Store,
  tenant: string,
  step: OpenStep | null,
  { id }: { readonly id: string },
): Promise<AskedCall | null> {
  if (step === null || step.reply === null) return null
  const { reply, request } = step
  const read = (digest: Digest) => store.object(tenant, digest)
  // Each call of a reply asks, and a reply may make thousands.
  const { calls } = await rememberedContent(
    store,
    JSON.stringify(['asked', tenant, reply, request.calls, request.tools]),
    async () => askedOf(read, request, await read(reply)),
    asked => 2 * JSON.stringify(asked).length,
  )
  return calls[Number(id) - 1] ?? null
}
