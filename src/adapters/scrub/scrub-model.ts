// Removes this process's own credentials for a model from its output and errors.
import { Fault } from '../../errors.ts'
import type { Model } from '../../ports.ts'
import { PROVIDERS } from '../models/ai-sdk-providers.ts'
import { SHORTEST, scrubber } from './scrub.ts'

const KEYS = [...PROVIDERS.values()].map(({ key }) => key)
const ADDRESSES = [...PROVIDERS.values()].map(({ address }) => address)

type Environment = Readonly<Record<string, string | undefined>>

export function secretsIn(environment: Environment): readonly string[] {
  // A key with a line break in it is quoted piece by piece in errors.
  const keys = KEYS.flatMap(name => [environment[name] ?? '', ...(environment[name] ?? '').split(/\s+/)])
  const passwords = ADDRESSES.flatMap(name => passwordIn(environment[name] ?? ''))
  return [...new Set([...keys, ...passwords])].filter(value => value.length >= SHORTEST).sort((a, b) => b.length - a.length)
}

function passwordIn(address: string): readonly string[] {
  if (!URL.canParse(address)) return []
  const { password } = new URL(address)
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}

export function scrubbedModel(model: Model, environment: Environment): Model {
  const { text: scrub } = scrubber(new Map(secretsIn(environment).map(value => [value, '[REDACTED]'])))
  return {
    name: model.name,
    async complete(request, signal) {
      try {
        return scrub(await model.complete(request, signal))
      } catch (error) {
        if (signal.aborted && error === signal.reason) throw error
        throw new Fault('model_failed', { model: model.name, reason: scrub(reasonOf(error)) })
      }
    },
  }
}

/** Without the sentence that a fault puts around it. */
const reasonOf = (error: unknown): string =>
  error instanceof Fault && error.code === 'model_failed' ? (error.details as { reason: string }).reason : (error as Error).message
