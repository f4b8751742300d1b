// Runs a tool binding, and shapes its output for the model and for the record. Judges nothing, and writes nothing.
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { Fault } from '../../errors.ts'
import type { Binding } from '../../ports.ts'
import { agentName } from './agent-name.ts'
import { type Done, failed } from './done.ts'
import type { AtWork, Performing } from './performing.ts'

/**
 * A guard against runaway output. Each tool limits its own output to a sensible size: a megabyte of text, escaped as JSON at its worst,
 * fits.
 */
const MOST_OUTPUT = 8 * 1024 * 1024

type Working = Pick<Performing, 'parts' | 'place' | 'signal'>

export async function runBinding({ parts, place, signal }: Working, at: AtWork, binding: Binding, given: Json): Promise<Done> {
  const { tenant, runId, nodeId } = place
  try {
    const output = await binding.run({ tenant, runId, nodeId, agent: agentName(at, nodeId), arguments: given }, signal)
    if (canonicalJson(output).length > MOST_OUTPUT)
      return failed('tool_output_too_large', `it answered with more than ${MOST_OUTPUT} characters; ask for less`)
    const failure = binding.failure?.(output) ?? null
    if (failure === null) return { outcome: { status: 'succeeded' }, output }
    return { outcome: { status: 'failed', code: 'tool_unsuccessful', detail: failure }, output }
  } catch (error) {
    if (signal.aborted) return failed('tool_cancelled', 'it was stopped')
    if (error instanceof Fault) return failed(error.code, error.message)
    parts.failed(error as Error, place)
    return failed('tool_failed', 'it failed; the host has written down how')
  }
}
