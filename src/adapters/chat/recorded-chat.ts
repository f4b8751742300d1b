// Records the replies of a real model, a file per request, and plays each back for exactly that request. Never calls a model for a missing
// reply.
import { digestJson, type Json } from '../../core/digest/digest.ts'
import { jsonFile } from '../../core/digest/indented-json.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { callDigest, type ModelCall, observableCall } from '../../core/messages/model-call.ts'
import { type Answered, readAnswer } from '../../core/messages/receipt.ts'
import { Fault } from '../../errors.ts'
import type { ChatModel, Files } from '../../ports.ts'
import { failureOf } from './failure.ts'

const MAX_BYTES = 64 * 1024 * 1024

const pathOf = (call: ModelCall): string => `${callDigest(call).replace(':', '-')}.json`

export function recordedChat(files: Files): ChatModel {
  return {
    async call(call, { signal, onDelta }) {
      try {
        signal.throwIfAborted()
        const answer = await readRecording(files, call)
        for (const { text } of answer.reasoning ?? []) if (text !== '') onDelta?.({ kind: 'reasoning', text })
        if (answer.text !== undefined && answer.text !== '') onDelta?.({ kind: 'text', text: answer.text })
        return answer
      } catch (error) {
        return failureOf(error, signal, Date.now)
      }
    },
  }
}

/** Lets another model answer. Failures are not kept: the next time may go better. */
export function recordingChat(model: ChatModel, files: Files): ChatModel {
  return {
    async call(call, options) {
      const receipt = await model.call(call, options)
      if (receipt.status !== 'ok') return receipt
      // The seal is of the body that was sent; a replay sends none.
      const { requestSeal: _, ...answer } = receipt
      try {
        await files.writeText(pathOf(call), jsonFile({ request: observableCall(call), receipt: answer }))
        return receipt
      } catch (error) {
        return failureOf(error, options.signal, Date.now)
      }
    },
  }
}

async function readRecording(files: Files, call: ModelCall): Promise<Answered> {
  const path = pathOf(call)
  const read = await files.readText(path, MAX_BYTES)
  if (!read.ok && !read.missing) throw new Fault('file_unreadable', { path, reason: read.message })
  if (!read.ok) throw new Fault('model_reply_missing', { where: 'The recording', asked: path.replace(/\.json$/, '') })
  const recording = parse(read.text)
  const answer = isObject(recording) ? readAnswer(recording.receipt) : null
  if (answer === null || !isObject(recording) || digestJson(recording.request ?? null) !== callDigest(call))
    throw new Fault('script_invalid', { path, problem: 'it is not the recording of this request: record it again' })
  return answer
}

function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
