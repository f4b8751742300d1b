// Translates tools and parameters for the AI SDK. An unset value stays unset; a value that a provider does not support becomes a warning.
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { CallParameters, ModelCall } from '../../core/messages/model-call.ts'
import type { ToolChoice } from '../../core/tools/read-tools.ts'
import type { SdkOptions } from './ai-sdk-prompt.ts'

export interface Options {
  readonly options: Omit<SdkOptions, 'prompt'>
  readonly warnings: readonly string[]
}

export function optionsOf({ provider, tools, toolChoice, parameters }: ModelCall): Options {
  const { temperature, topP, seed, maxTokens, stopSequences, responseFormat } = parameters
  const { own, warnings } = ownOptions(provider, parameters)
  const options: Omit<SdkOptions, 'prompt'> = {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(seed === undefined ? {} : { seed }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(stopSequences === undefined ? {} : { stopSequences: [...stopSequences] }),
    ...(responseFormat === undefined ? {} : { responseFormat }),
    ...(tools.length === 0 ? {} : { tools: tools.map(tool => ({ type: 'function', ...tool })) }),
    ...(toolChoice === undefined || tools.length === 0 ? {} : { toolChoice: choiceOf(toolChoice) }),
    ...(Object.keys(own).length === 0
      ? {}
      : { providerOptions: { [OPTIONS_KEYS[provider] ?? provider]: own } as NonNullable<SdkOptions['providerOptions']> }),
  }
  const unmet = tools.length === 0 && toolChoice !== undefined && toolChoice !== 'none' && toolChoice !== 'auto'
  return {
    options,
    warnings: unmet ? [...warnings, 'The tool choice requires a tool, and there are no tools: it was not sent.'] : warnings,
  }
}

const choiceOf = (choice: ToolChoice): NonNullable<SdkOptions['toolChoice']> =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool }

/** Under which key the SDK looks, where it is not the provider's name. */
const OPTIONS_KEYS: Readonly<Record<string, string>> = { 'openai-compatible': 'openaiCompatible' }

/** The SDK would ask for partial arguments, and would show a model without JSON output an invented tool. */
const PLAIN: Readonly<Record<string, JsonObject>> = { anthropic: { toolStreaming: false, structuredOutputMode: 'outputFormat' } }

const EFFORT: Readonly<Record<string, (effort: string) => JsonObject>> = {
  anthropic: effort => ({ effort }),
  google: effort => ({ thinkingConfig: { thinkingLevel: effort } }),
}

function ownOptions(provider: string, { reasoningEffort, metadata, providerOptions }: CallParameters) {
  const effort = reasoningEffort === undefined ? {} : (EFFORT[provider]?.(reasoningEffort) ?? { reasoningEffort })
  const { sent, unsent } = metadataOf(provider, metadata ?? {})
  const own: JsonObject = {
    ...PLAIN[provider],
    ...providerOptions,
    ...effort,
    ...(Object.keys(sent).length === 0 ? {} : { metadata: sent }),
  }
  return {
    own,
    warnings: unsent.length === 0 ? [] : [`${provider} has no place for this metadata; it was not sent: ${unsent.join(', ')}.`],
  }
}

/** Anthropic takes one field, Google none. */
function metadataOf(
  provider: string,
  metadata: Readonly<Record<string, string>>,
): { readonly sent: JsonObject; readonly unsent: readonly string[] } {
  if (provider !== 'anthropic' && provider !== 'google') return { sent: metadata, unsent: [] }
  const { user_id: userId, ...others } = metadata
  if (provider === 'google' || userId === undefined) return { sent: {}, unsent: Object.keys(metadata) }
  return { sent: { userId }, unsent: Object.keys(others) }
}
