// What a reply asks for: tools, or nothing more. A reply that never came ends the run.
import { canonicalJson, type Digest, digestText } from '../../core/digest/digest.ts'
import type { WhichStep } from '../../core/session/commands.ts'
import type { ToolCall } from '../../core/session/events.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import { isUnread } from '../../core/session/state.ts'
import type { AskedCall } from '../../core/tools/asked-calls.ts'
import { askedOf } from './asked.ts'
import { loadSession } from './load.ts'
import { type Performing, TOO_LATE } from './performing.ts'
import { prepareStep } from './prepare-step.ts'

export async function readReply(performing: Performing, effect: Extract<SessionEffect, { readonly type: 'reply.read' }>): Promise<void> {
  const { parts, place, send } = performing
  const of = { run: effect.run, step: effect.step }
  const { run } = (await loadSession(parts.store, place.tenant, place.session)).state
  if (run === null || !isUnread(run, of)) return
  if (effect.reply === null) {
    const failure = run.step?.failure ?? { code: 'step_failed', detail: 'the step has no reply' }
    // Its provider has forgotten: the next step tells it everything.
    if (failure.code === 'conversation_lost') return prepareStep(performing, { run: of.run, step: of.step + 1 })
    await send({ type: 'failRun', run: of.run, code: failure.code, detail: failure.detail })
    return
  }
  const read = (digest: Digest) => parts.store.object(place.tenant, digest)
  const { calls } = await askedOf(read, run.step!.request, await read(effect.reply))
  if (calls.length > 0) return startBatch(performing, of, calls)
  const { state } = await loadSession(parts.store, place.tenant, place.session)
  await send({
    type: state.run?.interactive === true || state.followUps.length + state.interrupts.length > 0 ? 'awaitInput' : 'completeRun',
    of,
  })
}

const TOOL_NAME = /^[A-Za-z0-9._~-]{1,128}$/

async function startBatch({ send }: Performing, of: WhichStep, asked: readonly AskedCall[]): Promise<void> {
  const texts = asked.map(call => canonicalJson(call.arguments))
  const calls = asked.map(
    ({ toolName, problem }, index): ToolCall => ({
      id: String(index + 1),
      name: TOOL_NAME.test(toolName) ? toolName : '?',
      arguments: digestText(texts[index]!),
      ...(problem === null ? {} : { problem }),
    }),
  )
  const { refusal } = await send({ type: 'startBatch', calls, of }, { objects: texts.map(text => new TextEncoder().encode(text)) })
  if (refusal !== null && !TOO_LATE.includes(refusal.code))
    await send({ type: 'failRun', run: of.run, code: refusal.code, detail: refusal.message })
}
