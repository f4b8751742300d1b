// The models that answer for sessions, by provider: those of the host file, scripted and recorded ones, and all others through the AI SDK.
import { routedChat } from '../adapters/chat/routed-chat.ts'
import { sampleChat } from '../adapters/chat/sample-chat.ts'
import { cliAgentChat } from '../adapters/cli-agent/cli-agent-chat.ts'
import type { ChatModel } from '../ports.ts'
import { hostConfigOf } from './host-config.ts'
import { repoOf } from './repo-folder.ts'
import { recordedFrom, scriptedFrom } from './scripted-from.ts'
import type { Settings } from './settings.ts'

export function modelsOf(settings: Settings): ChatModel {
  const { cliAgents, modelCalls } = hostConfigOf(settings)
  const scripted = () => scriptedFrom(settings)
  const recorded = () => recordedFrom(settings)
  const agents = cliAgentChat(cliAgents, repoOf(settings))
  const commands = Object.fromEntries(Object.keys(cliAgents).map(provider => [provider, () => agents]))
  const sample = settings.testSeams === true ? { sample: sampleChat } : {}
  const byName = { ...commands, ...sample, scripted, recorded }
  // Most hosts that only play back never need it, and it is large.
  const others = async () => (await import('../adapters/chat/ai-sdk-chat.ts')).aiSdkChat(modelCalls, Object.keys(byName))
  return routedChat(byName, others, agents.resumes, provider => Object.hasOwn(cliAgents, provider))
}
