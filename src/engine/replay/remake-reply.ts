// Reads a recorded reply again from its own bytes: its hash, its tokens, its calls, and its node's output.
import type { Digest } from '../../core/digest/digest.ts'
import type { StepSettled, ToolCall } from '../../core/turn/events.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import type { Store } from '../../ports.ts'
import { recordedReply } from '../turns/settled-reply.ts'

export interface RemadeReply {
  readonly told: Pick<StepSettled, 'replyHash' | 'tokens' | 'conversation'>
  readonly calls: readonly ToolCall[]
  /** The digest of the node's output, if this is its last reply. */
  readonly output: Digest | null
}

export async function remakeReply(store: Store, tenant: string, request: StepRequest, settled: StepSettled): Promise<RemadeReply> {
  const { command, brought } = await recordedReply(digest => store.object(tenant, digest), request, settled)
  const { tokens, conversation, read } = command
  return {
    told: { replyHash: read?.replyHash ?? null, tokens, ...(conversation === undefined ? {} : { conversation }) },
    calls: read?.calls ?? [],
    output: brought.output?.digest ?? null,
  }
}
