// Writes the result of a tool call as one line, for models that get results as text: no output can end the line or begin another.
import { oneLine } from '../../core/compose/foreign.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { ToolResultPart } from '../../core/messages/message.ts'
import { Fault } from '../../errors.ts'

export function resultLine({ callId, toolName, output, isError = false }: ToolResultPart): string {
  const name = toolName === undefined ? {} : { name: toolName }
  return lineOf({ tool_result: { id: callId, ...name, ...(isError ? { error: output } : { output }) } })
}

export function lineOf(value: Json): string {
  const line = oneLine(value)
  if (line === null) throw new Fault('adapter_error', { problem: 'a message holds what cannot be written as one line of JSON' })
  return line
}
