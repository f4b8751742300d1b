// Records remarks that people make about a run, without the secrets that the host knows. Changes nothing else.
import type { RunCommand } from '../../core/run/decide.ts'
import { scrubbedRemark } from '../turns/done.ts'
import type { TurnParts } from '../turns/performing.ts'

export async function scrubbedCommand(parts: TurnParts, tenant: string, command: RunCommand): Promise<RunCommand> {
  if (command.type === 'resolveMode' && command.note !== null)
    return { ...command, note: await scrubbedRemark(parts, tenant, command.note) }
  if (command.type === 'cancel' && command.reason !== null)
    return { ...command, reason: await scrubbedRemark(parts, tenant, command.reason) }
  if (command.type === 'pause' && command.note !== undefined) return { ...command, note: await scrubbedRemark(parts, tenant, command.note) }
  return command
}
