// A chat model with replies from a script. No network, no key, no clock: time is counted in ticks.

import { observable } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { Receipt } from '../../core/messages/receipt.ts'
import { Fault } from '../../errors.ts'
import type { CallOptions, ChatModel } from '../../ports.ts'
import { failureOf } from './failure.ts'
import { readScript, type ScriptedReply } from './read-script.ts'

/** `tick`: waits one moment; default: a turn of the event loop. */
export function scriptedChat(path: string, text: string, tick: () => Promise<void> = nextTurn): ChatModel {
  const { replies, calls } = readScript(path, text)
  const given = replies.map(() => 0)
  return {
    async call(call, options) {
      const { signal } = options
      try {
        signal.throwIfAborted()
        if (call.messages.length === 0) throw new Fault('messages_empty', {})
        const last = lastText(call)
        const isLeft = (index: number) => given[index]! < (replies[index]!.times ?? Number.POSITIVE_INFINITY)
        const fitting = replies.findIndex(({ match }, index) => match !== null && fits(match, options.caller ?? {}, last) && isLeft(index))
        const index = fitting >= 0 ? fitting : replies.findIndex(({ match }, place) => match === null && isLeft(place))
        if (index < 0) throw new Fault('model_reply_missing', { where: path, asked: described(options.caller ?? {}, last) })
        given[index]! += 1
        return await speak(replies[index]!, call, options, tick)
      } catch (error) {
        return failureOf(error, signal, Date.now)
      }
    },
    calls: () => calls,
  }
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

type Caller = NonNullable<CallOptions['caller']>

const fits = (match: NonNullable<ScriptedReply['match']>, { node, step }: Caller, last: string): boolean =>
  (match.node === undefined || match.node === node) &&
  (match.step === undefined || match.step === step) &&
  (match.last === undefined || last.includes(match.last))

function lastText({ messages }: ModelCall): string {
  const { content } = observable(messages.at(-1)!)
  return content.map(part => (part.type === 'text' ? part.text : part.type === 'tool_result' ? JSON.stringify(part.output) : '')).join('')
}

const described = ({ node, step }: Caller, last: string): string =>
  `${JSON.stringify(last.slice(0, 80))}${node === undefined ? '' : ` at node ${node}`}${step === undefined ? '' : `, step ${step}`}`

async function speak(reply: ScriptedReply, call: ModelCall, { signal, onDelta }: CallOptions, tick: () => Promise<void>): Promise<Receipt> {
  const pass = async () => {
    await tick()
    signal.throwIfAborted()
  }
  for (let passed = 0; passed < reply.ticks; passed += 1) await pass()
  if (reply.fail !== null) {
    const { code, message, retryAfterMs } = reply.fail
    return {
      status: 'error',
      code,
      message: new Fault(code, { problem: message }).message,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    }
  }
  if (reply.reasoning !== null) onDelta?.({ kind: 'reasoning', text: reply.reasoning })
  for (const [index, text] of reply.deltas.entries()) {
    if (index > 0) await pass()
    if (text !== '') onDelta?.({ kind: 'text', text })
  }
  return {
    status: 'ok',
    ...(reply.text === null ? {} : { text: reply.text }),
    ...(reply.reasoning === null ? {} : { reasoning: [{ type: 'reasoning', text: reply.reasoning }] }),
    // Messages only grow in number, so that no call of a conversation has the id of another.
    toolCalls: reply.toolCalls.map((one, index) => ({ callId: `call-${call.messages.length}-${index + 1}`, ...one })),
    finishReason: { reason: reply.toolCalls.length > 0 ? 'tool-calls' : 'stop' },
    usage: reply.usage === null ? null : { ...reply.usage, total: reply.usage.prompt + reply.usage.completion },
    warnings: [],
    providerId: 'scripted',
  }
}
