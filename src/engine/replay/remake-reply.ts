// What a reply came to, read again from its own bytes: what the run was told of it, and what its node gave.
import { canonicalJson, type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import type { Store } from '../../ports.ts'
import { outputOf } from '../turns/node-values.ts'
import { settledStep } from '../runs/session-graph.ts'
import { askedOf } from '../turns/asked.ts'

export type StepSettled = Extract<RunEvent, { readonly type: 'step.settled' }>

export interface RemadeReply {
  readonly told: Pick<StepSettled, 'replyHash' | 'tokens' | 'conversation'>
  /** What the node gives, if this is its last. */
  readonly said: string
}

export const outputHash = (said: string): Digest => digestText(canonicalJson(outputOf(said) as unknown as Json))

export async function remakeReply(
  store: Store,
  tenant: string,
  request: StepRequest,
  { reply, receipt }: Pick<StepSettled, 'reply' | 'receipt'>,
): Promise<RemadeReply> {
  const read = (digest: Digest) => store.object(tenant, digest)
  const asked = reply === null ? null : await askedOf(read, request, await read(reply))
  const brought = receipt === null ? new Map<Digest, Uint8Array>() : new Map([[receipt, await read(receipt)]])
  const { replyHash = null, tokens = null, conversation } = settledStep(brought, asked, receipt)
  return { told: { replyHash, tokens, ...(conversation === undefined ? {} : { conversation }) }, said: asked?.last ?? '' }
}
