// Recognises references on a command line by syntax alone, so that other commands load nothing.
import type { Command, Input } from '../commands.ts'

const WHOLE_ID = /^run_[0-9a-z]{24}$/
const RUN = /^(?:latest(?:~\d{1,6})?|run_[0-9a-z]*)$/

/** Arguments and options that may name a run. Templates, files and streams never look like a run. */
export const RUNS: readonly string[] = ['run', 'runs', 'a', 'b', 'good', 'bad', 'what', 'ref']

/** Whether a value names a run other than by its full id. */
export const isReference = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isReference) : typeof value === 'string' && RUN.test(value) && !WHOLE_ID.test(value)

export const hasReference = ({ arguments: names }: Command, input: Input): boolean =>
  names.includes('<approval>') || names.includes('<session>') || RUNS.some(name => isReference(input[name]))
