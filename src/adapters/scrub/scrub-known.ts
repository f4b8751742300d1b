// Removes the secrets that this process knows from tool output, before a model gets it or it is recorded. Finds nothing else.
import type { Json } from '../../core/digest/digest.ts'
import { lentSecrets } from '../cli-agent/agent.ts'
import { tenantValues } from '../keys/secrets.ts'
import { scrubber } from './scrub.ts'
import { secretsIn } from './scrub-model.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A shorter value may be a common word, such as true or none. */
const LEAST_GUESSED = 8
const MARKER = '[REDACTED]'

/** Keys of providers, what is declared as a secret, and what is named as if it were one; each with what is to stand in its place. */
function knownSecrets(environment: Environment): ReadonlyMap<string, string> {
  const names = Object.keys(environment)
  const declared = names.filter(name => name.startsWith('ONBOOK_SECRET_')).flatMap(name => environment[name] ?? [])
  const guessed = lentSecrets({ env: names }, environment).filter(value => value.length >= LEAST_GUESSED)
  return new Map([...secretsIn(environment), ...declared, ...guessed].map(value => [value, MARKER]))
}

export interface KnownIn {
  readonly environment: Environment
  /** An object of texts for each tenant. Read anew each time. */
  readonly file?: string | undefined
}

/** All that this process knows to be secret, and what is this tenant's own. */
export async function knownTo({ environment, file }: KnownIn, tenant: string): Promise<ReadonlyMap<string, string>> {
  const own = file === undefined ? {} : await tenantValues(file, tenant)
  const named = Object.entries(own).map(([id, secret]) => [secret, `[REDACTED:${id}]`] as const)
  return new Map([...knownSecrets(environment), ...named])
}

/** For `scrub` of the engine: cleans every text in the value, keys as well. */
export const scrubKnown =
  (known: KnownIn) =>
  async (tenant: string, value: Json): Promise<Json> =>
    scrubber(await knownTo(known, tenant)).json(value)
