// Keeps what must stay secret out of what is shown and stored: the values this process uses to reach a model, wherever they turn up.
import { Fault } from '../errors.ts'
import type { Model } from '../ports.ts'

const KEYS = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'OPENAI_COMPATIBLE_API_KEY']
const ADDRESSES = ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'GOOGLE_BASE_URL', 'OPENAI_COMPATIBLE_BASE_URL']
/** Shorter ones would blot out ordinary words. */
const SHORTEST = 4

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
  return [password, decodeURIComponent(password)]
}

export const scrub = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, '[REDACTED]'), text)

export function scrubbedModel(model: Model, environment: Environment): Model {
  const secrets = secretsIn(environment)
  return {
    name: model.name,
    async complete(request, signal) {
      try {
        return scrub(await model.complete(request, signal), secrets)
      } catch (error) {
        if (signal.aborted && error === signal.reason) throw error
        throw new Fault('model_failed', { model: model.name, reason: scrub(reasonOf(error), secrets) })
      }
    },
  }
}

/** Without the sentence that a fault puts around it. */
const reasonOf = (error: unknown): string =>
  error instanceof Fault && error.code === 'model_failed' ? (error.details as { reason: string }).reason : (error as Error).message
