// The models that answer for sessions, by provider: those of the host file, scripted and recorded ones, and all others through the AI SDK.
import { routedChat } from '../../adapters/chat/routed-chat.ts'
import { sampleChat } from '../../adapters/chat/sample-chat.ts'
import { cliAgentChat } from '../../adapters/cli-agent/cli-agent-chat.ts'
import type { ChatModel } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { hostConfigOf } from '../host/host-config.ts'
import { repoOf } from '../repo-folder.ts'
import { recordedFrom, scriptedFrom } from './scripted-from.ts'

export function modelsOf(input: Input): ChatModel {
  const { cliAgents, modelCalls } = hostConfigOf(input)
  const scripted = () => scriptedFrom(input)
  const recorded = () => recordedFrom(input)
  const agents = cliAgentChat(cliAgents, repoOf(input))
  const commands = Object.fromEntries(Object.keys(cliAgents).map(provider => [provider, () => agents]))
  const sample = input.testSeams === true ? { sample: sampleChat } : {}
  const byName = { ...commands, ...sample, scripted, recorded }
  // Most hosts that only play back never need it, and it is large.
  const others = async () => (await import('../../adapters/chat/ai-sdk-chat.ts')).aiSdkChat(modelCalls, Object.keys(byName))
  return routedChat(byName, others, agents.resumes, provider => Object.hasOwn(cliAgents, provider))
}
