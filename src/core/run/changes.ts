// The changes to the repo while a node worked in it, as the run records them. Detecting them is the engine's task.
import type { Digest } from '../digest/digest.ts'
import { isDocsPath } from '../gate/capability.ts'
import type { RunEvent } from './events.ts'
import type { RunState } from './state.ts'

export interface ChangedFile {
  /** From the root, with forward slashes; one that is not UTF-8 is in quotes, with its bytes spelled out. */
  readonly path: string
  readonly change: 'added' | 'changed' | 'deleted'
  /** Lines; null for a binary or too large file. */
  readonly added: number | null
  readonly removed: number | null
}

export interface FilesChange {
  /** Unified, in git's format. A moved file is deleted and added; a binary file is only named. */
  readonly diff: Digest
  /** How many bytes are cut off at the end of the diff. */
  readonly cut: number
  readonly files: readonly ChangedFile[]
  /** How many more there are. */
  readonly more: number
  /** Another process worked in the repo as well, or may have: the change has no certain author. */
  readonly shared: boolean
}

/** The author of a change: the agent behind the model, or a tool that was called. */
export interface Worker {
  readonly by: 'model' | 'tool'
  /** The call of the tool; null for a model. */
  readonly call: string | null
}

export type ToldChange = Worker & ({ readonly change: FilesChange } | { readonly unknown: string })

export function changeEvent(nodeId: string, step: number, report: ToldChange): RunEvent {
  const { by, call } = report
  if ('change' in report) return { type: 'files.changed', nodeId, step, by, call, ...report.change }
  return { type: 'log.appended', level: 'warn', message: report.unknown, code: 'changes_unknown', nodeId }
}

const MOST_NAMED = 5

/** The gate judges only calls. This warning covers files that change in another way while a run plans. */
export function planningWarning({ mode, rulesVersion }: RunState, nodeId: string, report: ToldChange): readonly RunEvent[] {
  if (rulesVersion === undefined || mode !== 'planning' || !('change' in report)) return []
  const { files, more, shared } = report.change
  const outside = files.filter(({ path }) => !isDocsPath(path)).map(({ path }) => path)
  if (outside.length === 0) return []
  const unnamed = outside.length - MOST_NAMED + more
  const named = `${outside.slice(0, MOST_NAMED).join(', ')}${unnamed > 0 ? ` and ${unnamed} more` : ''}`
  const who = report.by === 'model' ? 'The agent itself' : 'A tool'
  const doubt = shared ? ' Something else was at work in the repo as well.' : ''
  const message = `${who} changed files outside of docs while the run plans: ${named}.${doubt}`
  return [{ type: 'log.appended', level: 'warn', code: 'planning_files_changed', message, nodeId }]
}
