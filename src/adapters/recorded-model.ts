// Plays back what a real model once said, and only for exactly the messages it said it to.
import { digestJson, type Json } from '../core/digest/digest.ts'
import { Fault } from '../errors.ts'
import type { Model, ModelRequest } from '../ports.ts'

interface Recorded {
  readonly request: string
  readonly reply: string
}

interface Recording {
  readonly model: string
  readonly replies: Readonly<Record<string, Recorded>>
}

const requestDigest = ({ messages }: ModelRequest): string => digestJson(messages as unknown as Json)

export function recordedModel(path: string, text: string): Model {
  const recording = readRecording(path, text)
  return {
    name: `recorded ${recording.model}`,
    async complete(request) {
      const found = Object.hasOwn(recording.replies, request.example) ? recording.replies[request.example] : undefined
      if (found === undefined) throw new Fault('reply_missing', { path, example: request.example })
      if (found.request !== requestDigest(request)) throw new Fault('reply_stale', { path, example: request.example })
      return found.reply
    },
  }
}

/** Lets another model answer and keeps what it says. `recorded` merges it with what is known already. */
export function recordingModel(model: Model): { readonly model: Model; readonly recorded: (before: string | null) => string | null } {
  const replies = new Map<string, Recorded>()
  return {
    model: {
      name: model.name,
      async complete(request, signal) {
        const reply = await model.complete(request, signal)
        replies.set(request.example, { request: requestDigest(request), reply })
        return reply
      },
    },
    recorded: before => {
      if (replies.size === 0) return null
      const known = before === null ? {} : readRecording('the recording', before).replies
      const recording: Recording = { model: model.name, replies: { ...known, ...Object.fromEntries(replies) } }
      return `${JSON.stringify(recording, null, 2)}\n`
    },
  }
}

function readRecording(path: string, text: string): Recording {
  let value: Partial<Recording> | null
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Fault('script_invalid', { path, problem: `not JSON: ${(error as Error).message}` })
  }
  const { model, replies } = value ?? {}
  const sound =
    typeof model === 'string' &&
    typeof replies === 'object' &&
    replies !== null &&
    Object.values(replies).every(entry => typeof entry?.request === 'string' && typeof entry.reply === 'string')
  if (!sound) throw new Fault('script_invalid', { path, problem: 'it is not a recording: record it again with --record' })
  return { model, replies }
}
