// A model whose replies a test writes as it goes: it knows the asking node, may take its time, and lists open calls. Ends at once when it is aborted.
import { failureOf } from '../../adapters/chat/failure.ts'
import { observable } from '../../core/messages/message.ts'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { Receipt } from '../../core/messages/receipt.ts'
import type { ChatModel } from '../../ports.ts'

export interface Asked {
  readonly node: string
  /** How often this node has asked, this time included. */
  readonly time: number
  readonly call: ModelCall
}

/** A text, or more than that. */
export type Said =
  | string
  | {
      readonly text?: string
      readonly tools?: readonly { readonly toolName: string; readonly arguments: Readonly<Record<string, unknown>> }[]
      readonly tokens?: number
      readonly fail?: 'provider_retryable' | 'provider_terminal'
    }

export interface TalkingChat extends ChatModel {
  readonly asked: Asked[]
  /** Which nodes wait for an answer. */
  readonly open: Set<string>
  /** How many there were of those at most. */
  readonly most: () => number
  /** When a node has asked so often. */
  until(node: string, time?: number): Promise<void>
}

export function talkingChat(say: (asked: Asked) => Said | Promise<Said>): TalkingChat {
  const asked: Asked[] = []
  const open = new Set<string>()
  const waiting: { node: string; time: number; go: () => void }[] = []
  let most = 0
  return {
    asked,
    open,
    most: () => most,
    until: (node, time = 1) =>
      new Promise(go => {
        if (asked.filter(one => one.node === node).length >= time) go()
        else waiting.push({ node, time, go })
      }),
    async call(call, { signal, caller }) {
      const node = caller?.node ?? ''
      const question = { node, time: asked.filter(one => one.node === node).length + 1, call }
      asked.push(question)
      open.add(node)
      most = Math.max(most, open.size)
      for (const one of waiting) if (one.node === node && one.time === question.time) one.go()
      try {
        return receipt(await orAborted(say(question), signal), asked.length)
      } catch (error) {
        return failureOf(error, signal, Date.now)
      } finally {
        open.delete(node)
      }
    },
  }
}

const orAborted = <T>(work: T | Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    Promise.resolve(work).then(resolve, reject)
  })

function receipt(said: Said, nth: number): Receipt {
  const { text, tools = [], tokens, fail } = typeof said === 'string' ? { text: said } : said
  if (fail !== undefined) return { status: 'error', code: fail, message: 'it does not want to', retryAfterMs: 1 }
  return {
    status: 'ok',
    ...(text === undefined ? {} : { text }),
    toolCalls: tools.map((one, index) => ({ callId: `call-${nth}-${index}`, ...one })) as never,
    finishReason: { reason: tools.length > 0 ? 'tool-calls' : 'stop' },
    usage: tokens === undefined ? null : { prompt: tokens, completion: 0, total: tokens },
    warnings: [],
    providerId: 'talking',
  }
}

/** For what has to wait until a test lets it go. */
export function gate(): { readonly open: () => void; readonly passed: Promise<void> } {
  let open = (): void => {}
  const passed = new Promise<void>(resolve => {
    open = resolve
  })
  return { open: () => open(), passed }
}

/** The texts of a call, by who said them. */
export const textsOf = ({ messages }: ModelCall): readonly (readonly [role: string, text: string])[] =>
  messages.map(message => {
    const { role, content } = observable(message)
    return [role, content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')]
  })
