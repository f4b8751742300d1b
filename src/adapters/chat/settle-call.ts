// The common frame of every model call: fills slots, keeps secrets out of deltas and receipts, turns failures into receipts. Makes no request.
import type { Json } from '../../core/digest/digest.ts'
import { slotsIn } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { Answered, Receipt } from '../../core/messages/receipt.ts'
import type { Signature } from '../../core/record/checkpoint.ts'
import { Fault } from '../../errors.ts'
import type { CallOptions, Delta, Secrets } from '../../ports.ts'
import { type ScrubbedStream, SHORTEST, scrubber } from '../scrub/scrub.ts'
import { failureOf } from './failure.ts'

/** Secrets, each with its replacement. */
export type Known = Map<string, string>

export interface Sent {
  seal?: Signature
}

/** `known` may grow while the call is made: what it holds at the end is in no receipt. */
export async function settleCall({ signal }: CallOptions, known: Known, make: (sent: Sent) => Promise<Answered>): Promise<Receipt> {
  const sent: Sent = {}
  let receipt: Receipt
  try {
    receipt = await make(sent)
  } catch (error) {
    receipt = failureOf(error, signal, Date.now, scrubber(known).text)
  }
  const clean = scrubber(known).json(receipt as unknown as Json) as unknown as Receipt
  return sent.seal === undefined ? clean : { ...clean, requestSeal: sent.seal }
}

/** The values of all slots, and none of them is shown from now on. */
export async function fillSlots({ messages }: ModelCall, secrets: Secrets, known: Known): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  // A model that works on this machine may have found secrets that were not sent to it.
  for (const [value, marker] of (await secrets.known?.()) ?? []) known.set(value, marker)
  for (const id of slotsIn(messages)) {
    const value = await secrets.get(id)
    if (value === null || value === '') throw new Fault('secret_missing', { id })
    // It would have to be left in replies.
    if (value.length < SHORTEST) throw new Fault('secret_short', { id, least: SHORTEST })
    found.set(id, value)
    known.set(value, `[REDACTED:${id}]`)
  }
  return found
}

export interface ShownDeltas {
  show(delta: Delta): void
  /** Shows the text that was held back because a secret might begin there. */
  end(): void
}

export function scrubbedDeltas(known: Known, onDelta: (delta: Delta) => void): ShownDeltas {
  const scrub = scrubber(known)
  const open = new Map<string, { readonly delta: Delta; readonly stream: ScrubbedStream }>()
  const say = (delta: Delta) => {
    if (delta.text !== '') onDelta(delta)
  }
  return {
    show(delta) {
      const key = delta.kind === 'tool' ? `${delta.kind} ${delta.call}` : delta.kind
      const { stream } = open.get(key) ?? { stream: scrub.stream() }
      const seen = delta.kind === 'tool' ? { ...delta, name: scrub.text(delta.name) } : delta
      open.set(key, { delta: seen, stream })
      say({ ...seen, text: stream.push(delta.text) })
    },
    end() {
      for (const { delta, stream } of open.values()) say({ ...delta, text: stream.end() })
    },
  }
}
