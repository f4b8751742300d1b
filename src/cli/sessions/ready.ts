// Whether what providers and tools need was given. Asked before anything is recorded: found out later, it ends a run for good.

import { modelsOf } from '../../book/chat-models.ts'
import { repoBindings } from '../../book/repo-bindings.ts'
import { recordedFrom, scriptedFrom } from '../../book/scripted-from.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'

/** What was named is there and can be read, and nothing is bound to a repo that was not named. */
export async function checkGiven(input: Input): Promise<void> {
  repoBindings(input)
  if (input.script !== undefined) await scriptedFrom(input)
  if (input.recordings !== undefined) recordedFrom(input)
}

/** Whoever gives a script does not expect that a model is paid for. */
export function checkUsed(input: Input, providers: ReadonlySet<string>): void {
  for (const [option, provider] of [
    ['script', 'scripted'],
    ['recordings', 'recorded'],
  ] as const)
    if (input[option] !== undefined && !providers.has(provider))
      throw new Fault('usage_invalid', {
        problem: `--${option} is what the provider "${provider}" answers, and no node uses it: they use ${[...providers].join(', ')}. Leave it away, or say --provider ${provider} --model ${provider}`,
      })
}

/** Keys, packages and scripts. Whether a key is right, or a command there, shows when it is asked. */
export async function checkProviders(input: Input, providers: Iterable<string>): Promise<void> {
  const models = modelsOf(input)
  for (const provider of providers) {
    const lacking = (await models.unready?.(provider)) ?? null
    if (lacking?.code === 'model_unknown')
      throw new Fault('provider_unready', { provider, option: '--config FILE, as one of its cliAgents' })
    if (lacking !== null) throw lacking
  }
}
