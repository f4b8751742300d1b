// Reads a script for sessions: model replies that a person wrote. Reports the place of each mistake.
import type { Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import { positionText } from '../../core/pack/place.ts'
import { readYaml } from '../../core/pack/yaml.ts'
import type { Pointer } from '../../core/schema/pointer.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import { Fault } from '../../errors.ts'

export interface ScriptedReply {
  /** Null: it is given in its turn. */
  readonly match: { readonly node?: string; readonly step?: number; readonly last?: string } | null
  /** How often it may be given; null for always. */
  readonly times: number | null
  readonly text: string | null
  readonly reasoning: string | null
  /** The pieces in which the text comes. */
  readonly deltas: readonly string[]
  readonly toolCalls: readonly { readonly toolName: string; readonly arguments: Json; readonly callId?: string }[]
  /** How long it takes, in ticks. */
  readonly ticks: number
  readonly usage: { readonly prompt: number; readonly completion: number } | null
  readonly fail: {
    readonly code: 'provider_retryable' | 'provider_terminal'
    readonly message: string
    readonly retryAfterMs?: number
  } | null
}

export interface Script {
  readonly replies: readonly ScriptedReply[]
  readonly calls: Calling
}

const CALLINGS: readonly Json[] = ['native', 'lines', 'own']
const KEYS = ['match', 'times', 'text', 'reasoning', 'deltas', 'toolCalls', 'ticks', 'usage', 'fail']
const CODES: readonly Json[] = ['provider_retryable', 'provider_terminal']

export function readScript(path: string, text: string): Script {
  const { value, problems, locate } = readYaml(text)
  const invalid = (offset: number, message: string) =>
    new Fault('script_invalid', { path, problem: `${positionText(text, offset)}: ${message}` })
  if (problems[0] !== undefined) throw invalid(problems[0].start, problems[0].message)
  const demand: Demand = (holds, pointer, message) => {
    if (!holds) throw invalid(locate({ pointer }).start, message)
  }
  const { replies, calls = 'native' } = isObject(value) ? value : {}
  demand(Array.isArray(replies), ['replies'], 'it must have "replies": a list of what the model says')
  demand(CALLINGS.includes(calls), ['calls'], 'it must be native, lines or own: how the model calls tools')
  return {
    replies: (replies as readonly Json[]).map((reply, index) => readReply(reply, ['replies', index], demand)),
    calls: calls as Calling,
  }
}

type Demand = (holds: boolean, pointer: Pointer, message: string) => void

const isText = (value: Json | undefined): value is string => typeof value === 'string'
const isCount = (value: Json | undefined): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isTexts = (value: Json | undefined): value is readonly string[] => Array.isArray(value) && value.every(isText)
const isOpen = (is: (value: Json | undefined) => boolean, value: Json | undefined): boolean => value === undefined || is(value)

function readReply(reply: Json, at: Pointer, demand: Demand): ScriptedReply {
  if (isText(reply)) return readReply({ text: reply }, at, demand)
  demand(isObject(reply), at, 'a reply is a text, or an object')
  const given = reply as JsonObject
  for (const key of Object.keys(given)) demand(KEYS.includes(key), [...at, key], `a reply has no "${key}": there is ${KEYS.join(', ')}`)
  const { match, times, text, reasoning, deltas, toolCalls, ticks, usage, fail } = given
  demand(isOpen(isText, text), [...at, 'text'], 'it must be text')
  demand(isOpen(isText, reasoning), [...at, 'reasoning'], 'it must be text')
  demand(isOpen(isTexts, deltas), [...at, 'deltas'], 'they must be a list of texts')
  const pieces = isTexts(deltas) ? deltas : isText(text) ? [text] : []
  demand(!isText(text) || pieces.join('') === text, [...at, 'deltas'], 'together they must be the text')
  demand(isOpen(isCount, ticks), [...at, 'ticks'], 'it must be a whole number from 0')
  demand(isOpen(isCount, times) && times !== 0, [...at, 'times'], 'it must be a whole number from 1')
  demand(times === undefined || match !== undefined, [...at, 'times'], 'a reply without "match" is given once, in its turn')
  const spoken = isText(text) || isTexts(deltas) || toolCalls !== undefined || fail !== undefined
  demand(spoken, at, 'a reply needs text, deltas, toolCalls or fail')
  return {
    match: match === undefined ? null : readMatch(match, [...at, 'match'], demand),
    times: isCount(times) ? times : match === undefined ? 1 : null,
    text: isText(text) ? text : isTexts(deltas) ? deltas.join('') : null,
    reasoning: isText(reasoning) ? reasoning : null,
    deltas: pieces,
    toolCalls: readCalls(toolCalls, [...at, 'toolCalls'], demand),
    ticks: isCount(ticks) ? ticks : 0,
    usage: usage === undefined ? null : readUsage(usage, [...at, 'usage'], demand),
    fail: fail === undefined ? null : readFailure(fail, [...at, 'fail'], demand),
  }
}

function readMatch(match: Json, at: Pointer, demand: Demand): NonNullable<ScriptedReply['match']> {
  const { node, step, last, ...others } = isObject(match) ? match : { others: match }
  const sound = isOpen(isText, node) && isOpen(isCount, step) && isOpen(isText, last) && Object.keys(others).length === 0
  demand(sound, at, 'it must be an object with node, step or last: a name, a number, a part of the last message')
  return match as NonNullable<ScriptedReply['match']>
}

function readCalls(calls: Json | undefined, at: Pointer, demand: Demand): ScriptedReply['toolCalls'] {
  if (calls === undefined) return []
  demand(Array.isArray(calls), at, 'they must be a list')
  return (calls as readonly Json[]).map((call, index) => {
    const { toolName, callId, arguments: given = {} } = isObject(call) ? call : {}
    demand(isText(toolName) && isOpen(isText, callId), [...at, index], 'a tool call needs a toolName, and may have arguments and a callId')
    return { toolName: toolName as string, arguments: given, ...(isText(callId) ? { callId } : {}) }
  })
}

function readUsage(usage: Json, at: Pointer, demand: Demand): NonNullable<ScriptedReply['usage']> {
  const { prompt, completion } = isObject(usage) ? usage : {}
  demand(isCount(prompt) && isCount(completion), at, 'it must have prompt and completion: numbers of tokens')
  return { prompt: prompt as number, completion: completion as number }
}

function readFailure(fail: Json, at: Pointer, demand: Demand): NonNullable<ScriptedReply['fail']> {
  const { code, message = 'the script says so', retryAfterMs } = isObject(fail) ? fail : {}
  demand(CODES.includes(code ?? null) && isText(message) && isOpen(isCount, retryAfterMs), at, `it needs a code: ${CODES.join(' or ')}`)
  return {
    code: code as NonNullable<ScriptedReply['fail']>['code'],
    message: message as string,
    ...(isCount(retryAfterMs) ? { retryAfterMs } : {}),
  }
}
