// What a reply asks for: tools, or nothing more. A reply that never came ends the run.
import { canonicalJson, type Digest, digestText, type Json } from '../../core/digest/digest.ts'
import type { ToolCallPart } from '../../core/messages/message.ts'
import { readMessages } from '../../core/messages/read-messages.ts'
import type { WhichStep } from '../../core/session/commands.ts'
import type { ToolCall } from '../../core/session/events.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import { isUnread } from '../../core/session/state.ts'
import type { Store } from '../../ports.ts'
import { loadSession } from './load.ts'
import { type Performing, TOO_LATE } from './performing.ts'
import { prepareStep } from './prepare-step.ts'

export async function readReply(performing: Performing, effect: Extract<SessionEffect, { readonly type: 'reply.read' }>): Promise<void> {
  const { parts, place, send } = performing
  const of = { run: effect.run, step: effect.step }
  if (effect.reply === null) {
    const { state } = await loadSession(parts.store, place.tenant, place.session)
    if (state.run === null || !isUnread(state.run, of)) return
    const failure = state.run.step?.failure ?? { code: 'step_failed', detail: 'the step has no reply' }
    // Its provider has forgotten: the next step tells it everything.
    if (failure.code === 'conversation_lost') return prepareStep(performing, { run: of.run, step: of.step + 1 })
    await send({ type: 'failRun', run: of.run, code: failure.code, detail: failure.detail })
    return
  }
  const asked = await toolCallsIn(parts.store, place.tenant, effect.reply)
  if (asked.length > 0) return startBatch(performing, of, asked)
  const { state } = await loadSession(parts.store, place.tenant, place.session)
  await send({
    type: state.run?.interactive === true || state.followUps.length + state.interrupts.length > 0 ? 'awaitInput' : 'completeRun',
    of,
  })
}

export async function toolCallsIn(store: Store, tenant: string, reply: Digest): Promise<readonly ToolCallPart[]> {
  const read = readMessages(await store.object(tenant, reply))
  return read.ok ? read.messages.flatMap(({ content }) => content.filter(part => part.type === 'tool_call')) : []
}

/** A call is known by its place in the reply: what the model calls it, and wants to hear again, is foreign text. */
export const partOf = (asked: readonly ToolCallPart[], { id }: ToolCall): ToolCallPart | undefined => asked[Number(id) - 1]

const TOOL_NAME = /^[A-Za-z0-9._~-]{1,128}$/

async function startBatch({ send }: Performing, of: WhichStep, asked: readonly ToolCallPart[]): Promise<void> {
  const texts = asked.map(call => canonicalJson(call.arguments as Json))
  const calls = asked.map(
    ({ toolName }, index): ToolCall => ({
      id: String(index + 1),
      name: TOOL_NAME.test(toolName) ? toolName : '?',
      arguments: digestText(texts[index]!),
    }),
  )
  const { refusal } = await send({ type: 'startBatch', calls, of }, { objects: texts.map(text => new TextEncoder().encode(text)) })
  if (refusal !== null && !TOO_LATE.includes(refusal.code))
    await send({ type: 'failRun', run: of.run, code: refusal.code, detail: refusal.message })
}
