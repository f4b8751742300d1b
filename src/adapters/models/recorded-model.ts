// Plays back the recorded replies of a real model, each for exactly the messages of its recording.
import { digestJson, type Json } from '../../core/digest/digest.ts'
import { jsonFile } from '../../core/digest/indented-json.ts'
import { Fault } from '../../errors.ts'
import type { Model, ModelRequest } from '../../ports.ts'

interface Recorded {
  readonly request: string
  readonly reply: string
  /** Who said it. A recording may hold replies of several models. */
  readonly model: string
}

interface Recording {
  /** The model that was recorded last. Replies without a model name are its replies. */
  readonly model: string
  readonly replies: Readonly<Record<string, Recorded>>
}

const requestDigest = ({ messages }: ModelRequest): string => digestJson(messages as unknown as Json)

export function recordedModel(path: string, text: string): Model {
  const recording = readRecording(path, text)
  return {
    name: `recorded ${modelsIn(recording).join(', ')}`,
    async complete(request) {
      const found = Object.hasOwn(recording.replies, request.example) ? recording.replies[request.example] : undefined
      if (found === undefined) throw new Fault('reply_missing', { path, example: request.example })
      if (found.request !== requestDigest(request)) throw new Fault('reply_stale', { path, example: request.example })
      return found.reply
    },
  }
}

/** Each once, in the order of the file. */
const modelsIn = ({ model, replies }: Recording): readonly string[] => {
  const named = new Set(Object.values(replies).map(reply => reply.model))
  return named.size === 0 ? [model] : [...named]
}

/** Lets another model answer and keeps what it says. `recorded` merges it with what is known already, which is in the file at `path`. */
export function recordingModel(
  model: Model,
  path = 'the recording',
): { readonly model: Model; readonly recorded: (before: string | null) => string | null } {
  const replies = new Map<string, Recorded>()
  return {
    model: {
      name: model.name,
      async complete(request, signal) {
        const reply = await model.complete(request, signal)
        replies.set(request.example, { request: requestDigest(request), reply, model: model.name })
        return reply
      },
    },
    recorded: before => {
      if (replies.size === 0) return null
      const known = before === null ? {} : readRecording(path, before).replies
      const recording: Recording = { model: model.name, replies: { ...known, ...Object.fromEntries(replies) } }
      return jsonFile(recording)
    },
  }
}

function readRecording(path: string, text: string): Recording {
  let value: { model?: unknown; replies?: unknown } | null
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Fault('script_invalid', { path, problem: `not JSON: ${(error as Error).message}` })
  }
  const { model, replies } = value ?? {}
  if (typeof model !== 'string' || typeof replies !== 'object' || replies === null) throw notRecording(path)
  return { model, replies: Object.fromEntries(Object.entries(replies).map(([example, entry]) => [example, readReply(path, entry, model)])) }
}

function readReply(path: string, entry: Partial<Recorded> | null, fallback: string): Recorded {
  const { request, reply, model = fallback } = entry ?? {}
  if (typeof request !== 'string' || typeof reply !== 'string' || typeof model !== 'string') throw notRecording(path)
  return { request, reply, model }
}

const notRecording = (path: string): Fault =>
  new Fault('script_invalid', { path, problem: 'it is not a recording: record it again with --record' })
