// Whether what providers and tools need was given. Asked before anything is recorded: found out later, it ends a run for good.
import { statSync } from 'node:fs'
import { checkKey, PROVIDERS } from '../../adapters/ai-sdk-providers.ts'
import { recordedChat } from '../../adapters/chat/recorded-chat.ts'
import { scriptedChat } from '../../adapters/chat/scripted-chat.ts'
import { folderFiles } from '../../adapters/folder-files.ts'
import { Fault } from '../../errors.ts'
import type { ChatModel } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { hostConfigOf } from '../host/host-config.ts'
import { readText } from '../record/open-record.ts'
import { repoBindings } from './repo-bindings.ts'

export async function scriptedFrom({ script }: Input): Promise<ChatModel> {
  if (typeof script !== 'string') throw new Fault('provider_unready', { provider: 'scripted', option: '--script FILE' })
  return scriptedChat(script, await readText(script))
}

export function recordedFrom({ recordings }: Input): ChatModel {
  if (typeof recordings !== 'string') throw new Fault('provider_unready', { provider: 'recorded', option: '--recordings FOLDER' })
  if (statSync(recordings, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Fault('usage_invalid', { problem: `--recordings must be a folder, and ${recordings} is none` })
  return recordedChat(folderFiles(recordings))
}

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

/** Whether a key is right, or a command there, shows when it is asked. */
export async function checkProviders(input: Input, providers: Iterable<string>): Promise<void> {
  const { cliAgents } = hostConfigOf(input)
  for (const provider of providers) {
    if (Object.hasOwn(cliAgents, provider)) continue
    if (provider === 'scripted') await scriptedFrom(input)
    else if (provider === 'recorded') recordedFrom(input)
    else if (PROVIDERS.has(provider)) checkKey(provider)
    else throw new Fault('provider_unready', { provider, option: '--config FILE, as one of its cliAgents' })
  }
}
