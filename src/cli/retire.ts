// onbook retire: forbid a version from ever being activated again.
import { retireVersion } from '../engine/versions.ts'
import type { Input } from './commands.ts'
import { locate } from './locate.ts'
import { printJson } from './terminal.ts'

export async function retire(input: Input): Promise<number> {
  const { targets } = await locate([])
  const [agentId, version] = [String(input.agent), String(input.version)]
  await retireVersion(targets[0]!.workspace.files, agentId, version)
  if (input.json) printJson({ agentId, version, status: 'retired' })
  else process.stdout.write(`${agentId}@${version} is retired.\n`)
  return 0
}
