// Chooses the model for a pack's tests: the named one, else the recording beside the pack, else the script beside it.
import { recordedModel, recordingModel } from '../adapters/models/recorded-model.ts'
import { scriptedModel } from '../adapters/models/scripted-model.ts'
import { scrubbedModel } from '../adapters/scrub/scrub-model.ts'
import { recordingOf, scriptOf } from '../core/pack/identity.ts'
import { Fault } from '../errors.ts'
import type { Files, Model } from '../ports.ts'

const MAX_BYTES = 64 * 1024 * 1024

export interface Models {
  readonly modelFor: (packPath: string) => Promise<Model>
  /** Throws when the named model cannot be had at all: better once, and before anything runs. */
  readonly check: () => Promise<void>
  /** Writes what was recorded; a pack whose model said nothing is left alone. */
  readonly save: () => Promise<readonly string[]>
}

export function modelsFor(files: Files, name: string | undefined, record: boolean): Models {
  if (record && name === undefined)
    throw new Fault('usage_invalid', { problem: '--record needs --model: there is nothing to record otherwise' })
  let reached: Promise<Model> | undefined
  const reach = (model: string): Promise<Model> => {
    reached ??= import('../adapters/models/ai-sdk-model.ts').then(async ({ aiSdkModel }) =>
      scrubbedModel(await aiSdkModel(model), process.env),
    )
    return reached
  }
  const recorders: { path: string; recorded: (before: string | null) => string | null }[] = []
  return {
    async check() {
      if (name !== undefined) await reach(name)
    },
    async modelFor(packPath) {
      if (name === undefined) return modelBeside(files, packPath)
      const path = recordingOf(packPath)
      // A recording that cannot be added to is found out now, not after the model was paid for.
      if (record) await readRecording(files, path)
      const provider = await reach(name)
      if (!record) return provider
      const recorder = recordingModel(provider, path)
      recorders.push({ path, recorded: recorder.recorded })
      return recorder.model
    },
    async save() {
      const written: string[] = []
      for (const { path, recorded } of recorders) {
        await files.exclusively(path.replaceAll('/', '-'), async () => {
          const text = recorded(await readRecording(files, path))
          if (text === null) return
          await files.writeText(path, text)
          written.push(path)
        })
      }
      return written
    },
  }
}

/** The text of a sound recording, or null if the file is missing. */
async function readRecording(files: Files, path: string): Promise<string | null> {
  const read = await files.readText(path, MAX_BYTES)
  if (!read.ok && !read.missing) throw new Fault('file_unreadable', { path, reason: read.message })
  if (!read.ok) return null
  recordedModel(path, read.text)
  return read.text
}

async function modelBeside(files: Files, packPath: string): Promise<Model> {
  const readers = [
    { path: recordingOf(packPath), create: recordedModel },
    { path: scriptOf(packPath), create: scriptedModel },
  ]
  for (const { path, create } of readers) {
    const read = await files.readText(path, MAX_BYTES)
    if (read.ok) return create(path, read.text)
    if (!read.missing) throw new Fault('file_unreadable', { path, reason: read.message })
  }
  throw new Fault('model_missing', { pack: packPath, tried: readers.map(({ path }) => path).reverse() })
}
