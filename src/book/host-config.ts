// Reads the configuration of the host from the named file, or from the current folder.
import { existsSync, readFileSync } from 'node:fs'
import { reasonOf } from '../adapters/processes/reasons.ts'
import { Fault } from '../errors.ts'
import type { HostConfig } from '../host/config.ts'
import { readHostFile } from '../host/settings/host-file.ts'
import { withNativeTools } from '../host/settings/native-tools.ts'
import type { Settings } from './settings.ts'

export const HOST_FILE = 'onbook.host.yaml'

export function hostConfigOf({ config }: Settings): HostConfig {
  const path = typeof config === 'string' ? config : HOST_FILE
  if (config === undefined && !existsSync(path)) return readHostFile('').config
  const { config: found, problems } = readHostFile(read(path))
  if (problems.length > 0) throw new Fault('host_config_invalid', { path, problem: problems.join('; ') })
  const { agents, problem } = withNativeTools(found.cliAgents, process.env)
  if (problem !== null) throw new Fault('host_config_invalid', { path: problem.variable, problem: problem.problem })
  return { ...found, cliAgents: agents }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Fault('file_unreadable', { path, reason: reasonOf(error) }, { cause: error })
  }
}
