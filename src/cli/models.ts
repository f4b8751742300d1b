// Which model answers for a pack: the one that is named, else what was recorded beside it, else what was scripted beside it.
import { recordedModel, recordingModel } from '../adapters/recorded-model.ts'
import { scriptedModel } from '../adapters/scripted-model.ts'
import { Fault } from '../errors.ts'
import type { Files, Model } from '../ports.ts'

const MAX_BYTES = 64 * 1024 * 1024

export interface Models {
  readonly modelFor: (packPath: string) => Promise<Model>
  /** Writes what was recorded; a pack whose model said nothing is left alone. */
  readonly save: () => Promise<readonly string[]>
}

export function modelsFor(files: Files, name: string | undefined, record: boolean): Models {
  if (record && name === undefined)
    throw new Fault('usage_invalid', { problem: '--record needs --model: there is nothing to record otherwise' })
  let provider: Promise<Model> | undefined
  const recorders: { path: string; recorded: (before: string | null) => string | null }[] = []
  return {
    async modelFor(packPath) {
      const recordedPath = beside(packPath, 'recorded.json')
      if (name === undefined) return modelBeside(files, packPath)
      provider ??= import('../adapters/ai-sdk-model.ts').then(({ aiSdkModel }) => aiSdkModel(name))
      if (!record) return provider
      const recorder = recordingModel(await provider)
      recorders.push({ path: recordedPath, recorded: recorder.recorded })
      return recorder.model
    },
    async save() {
      const written: string[] = []
      for (const { path, recorded } of recorders) {
        const before = await files.readText(path, MAX_BYTES)
        const text = recorded(before.ok ? before.text : null)
        if (text === null) continue
        await files.writeText(path, text)
        written.push(path)
      }
      return written
    },
  }
}

async function modelBeside(files: Files, packPath: string): Promise<Model> {
  const readers = [
    { path: beside(packPath, 'recorded.json'), create: recordedModel },
    { path: beside(packPath, 'script.yaml'), create: scriptedModel },
  ]
  for (const { path, create } of readers) {
    const read = await files.readText(path, MAX_BYTES)
    if (read.ok) return create(path, read.text)
    if (!read.missing) throw new Fault('file_unreadable', { path, reason: read.message })
  }
  throw new Fault('model_missing', { pack: packPath, tried: readers.map(({ path }) => path).reverse() })
}

const beside = (packPath: string, ending: string): string => packPath.replace(/ya?ml$/, ending)
