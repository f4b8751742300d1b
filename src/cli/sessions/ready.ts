// Checks the requirements of providers and tools before anything is recorded: a problem that shows later ends a run for good.

import { modelsOf } from '../../book/chat-models.ts'
import { repoBindings } from '../../book/repo-bindings.ts'
import { recordedFrom, scriptedFrom } from '../../book/scripted-from.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'

/** The named files can be read, and no tool is bound without a repo. */
export async function checkGiven(input: Input): Promise<void> {
  repoBindings(input)
  if (input.script !== undefined) await scriptedFrom(input)
  if (input.recordings !== undefined) recordedFrom(input)
}

/** Refuses a script that no node would use: its author does not expect to pay for a model. */
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

/** Checks keys, packages and scripts. A wrong key or a missing command shows only when the provider is called. */
export async function checkProviders(input: Input, providers: Iterable<string>): Promise<void> {
  const models = modelsOf(input)
  for (const provider of providers) {
    const lacking = (await models.unready?.(provider)) ?? null
    if (lacking?.code === 'model_unknown')
      throw new Fault('provider_unready', { provider, option: '--config FILE, as one of its cliAgents' })
    if (lacking !== null) throw lacking
  }
}
