// Decides who runs the file and command tools of a command-line agent: the agent itself, or the host. An environment variable overrides the file.
import type { CliAgents } from './cli-agents.ts'

type Environment = Readonly<Record<string, string | undefined>>

const NATIVE_TOOLS = ['provider', 'onbook'] as const

const variableOf = (provider: string): string => `ONBOOK_${provider.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_NATIVE_TOOLS`

/** An empty variable counts as unset. */
export function withNativeTools(
  agents: CliAgents,
  environment: Environment,
): { readonly agents: CliAgents; readonly problem: { readonly variable: string; readonly problem: string } | null } {
  const changed: [string, CliAgents[string]][] = []
  for (const [provider, agent] of Object.entries(agents)) {
    const variable = variableOf(provider)
    const given = environment[variable] ?? ''
    const nativeTools = NATIVE_TOOLS.find(word => word === given)
    if (given !== '' && nativeTools === undefined)
      return { agents, problem: { variable, problem: `it must be ${NATIVE_TOOLS.join(' or ')}, not "${given.slice(0, 80)}"` } }
    changed.push([provider, nativeTools === undefined ? agent : { ...agent, nativeTools }])
  }
  return { agents: Object.fromEntries(changed), problem: null }
}

/** Settings of nativeTools that have no effect. */
export const uselessNativeTools = (agents: CliAgents): readonly string[] =>
  Object.entries(agents).flatMap(([provider, { preset, nativeTools }]) =>
    preset === undefined || nativeTools === undefined || nativeTools === 'provider'
      ? []
      : [`nativeTools of ${provider} is ignored: ${preset} always runs its own tools`],
  )
