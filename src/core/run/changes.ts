// What became of the repo while a node was at work there, as its run tells it. Does not know how it was found out.
import type { Digest } from '../digest/digest.ts'
import type { RunEvent } from './events.ts'

export interface ChangedFile {
  /** From the root, with forward slashes; one that is not UTF-8 is in quotes, with its bytes spelled out. */
  readonly path: string
  readonly change: 'added' | 'changed' | 'deleted'
  /** Lines; null of what is no text, or too large. */
  readonly added: number | null
  readonly removed: number | null
}

export interface FilesChange {
  /** Unified, as git writes it: what is moved is deleted and added, what is no text is named. */
  readonly diff: Digest
  /** How many bytes of it are left out at its end. */
  readonly cut: number
  readonly files: readonly ChangedFile[]
  /** How many more there are. */
  readonly more: number
  /** Somebody else was at work in the repo as well, or may have been: nobody can tell whose change it is. */
  readonly shared: boolean
}

/** Who was at work: the agent behind the model, or a tool that was called. */
export interface Worker {
  readonly by: 'model' | 'tool'
  /** Of a tool. */
  readonly call: string | null
}

export type ToldChange = Worker & ({ readonly change: FilesChange } | { readonly unknown: string })

export function changeEvent(nodeId: string, step: number, told: ToldChange): RunEvent {
  const { by, call } = told
  if ('change' in told) return { type: 'files.changed', nodeId, step, by, call, ...told.change }
  return { type: 'log.appended', level: 'warn', message: told.unknown, code: 'changes_unknown', nodeId }
}
