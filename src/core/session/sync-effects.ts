// The effects of a sync and their answers. Read-only; every effect has the workspace's name, since a digest alone gives no access.
import { type Digest, digestBytes } from '../digest/digest.ts'
import { isPath } from '../workspace/path.ts'
import type { Selection } from './config.ts'
import type { Failure, SyncStage } from './events.ts'
import type { StoredText } from './history.ts'
import { type PackChange, type Snapshot, snapshotMismatch } from './snapshot.ts'

export type WorkspaceEffect =
  | { readonly type: 'workspace.resolve'; readonly workspace: string; readonly version: number | null }
  | {
      readonly type: 'workspace.readRef' | 'workspace.readBytes' | 'workspace.list'
      readonly workspace: string
      readonly root: Digest
      readonly path: string
    }

export type EffectName = WorkspaceEffect['type']

interface Values {
  /** Null when there is no such workspace or version. */
  readonly 'workspace.resolve': { readonly version: number; readonly root: Digest } | null
  /** Null when there is nothing at this path. */
  readonly 'workspace.readRef': { readonly kind: 'file' | 'dir'; readonly digest: Digest; readonly size: number } | null
  readonly 'workspace.readBytes': Uint8Array
  /** The entries of a folder; null when the folder does not exist. */
  readonly 'workspace.list': readonly { readonly name: string; readonly kind: 'file' | 'dir' }[] | null
}

export type Answer<N extends EffectName = EffectName> =
  | { readonly ok: true; readonly value: Values[N] }
  | ({ readonly ok: false } & Failure)

export type SyncFailure = { readonly outcome: 'failed'; readonly stage: SyncStage } & Failure

export type SyncResult =
  | {
      readonly outcome: 'ready'
      readonly snapshot: Snapshot
      readonly objects: readonly StoredText[]
      readonly packs?: readonly PackChange[]
    }
  | { readonly outcome: 'unchanged'; readonly workspace: string; readonly version: number }
  | SyncFailure

/** Yields effects and is resumed with their answers; acts never. */
export type Asking<R> = Generator<WorkspaceEffect, R, Answer>

/** A step on the way: a value, or the failure the whole sync ends with. */
export type Part<T> = { readonly outcome: 'done'; readonly value: T } | SyncFailure

export const done = <T>(value: T): Part<T> => ({ outcome: 'done', value })
/** A detail quotes content, which can have any length. */
const MOST_DETAIL = 4000

export const fail = (stage: SyncStage, code: string, detail: string): SyncFailure => ({
  outcome: 'failed',
  stage,
  code,
  detail: detail.slice(0, MOST_DETAIL).toWellFormed(),
})

export function* ask<E extends WorkspaceEffect>(effect: E): Asking<Answer<E['type']>> {
  return (yield effect) as Answer<E['type']>
}

/** A snapshot that does not match the request is a failure: it may be a late reply to another. */
export function checkedResult(result: SyncResult, selection: Selection): SyncResult {
  const problem = result.outcome === 'ready' ? snapshotMismatch(result.snapshot, selection) : null
  return problem === null ? result : fail('validate', 'snapshot_mismatch', problem)
}

/** The version that everything else is read from. */
export interface Root {
  readonly workspace: string
  readonly version: number
  readonly root: Digest
}

export interface ReadFile {
  readonly digest: Digest
  readonly bytes: Uint8Array
}

/** The maximum size of a prelude, a catalog, and their files. */
const MOST_BYTES = 8 * 1024 * 1024

export function* readFile({ workspace, root }: Root, path: string, stage: SyncStage): Asking<Part<ReadFile>> {
  if (!isPath(path)) return fail(stage, 'path_invalid', `"${path.slice(0, 100)}" is not a path in a workspace`)
  const ref = yield* ask({ type: 'workspace.readRef', workspace, root, path })
  if (!ref.ok) return fail(stage, ref.code, ref.detail)
  if (ref.value === null) return fail(stage, 'file_missing', `${workspace} has no ${path}`)
  if (ref.value.kind === 'dir') return fail(stage, 'file_missing', `${path} of ${workspace} is a folder`)
  const { digest, size } = ref.value
  if (size > MOST_BYTES) return fail(stage, 'file_too_large', `${path} has ${size} bytes and may have ${MOST_BYTES}`)
  const bytes = yield* ask({ type: 'workspace.readBytes', workspace, root, path })
  if (!bytes.ok) return fail(stage, bytes.code, bytes.detail)
  const actual = digestBytes(bytes.value)
  if (actual !== digest) return fail(stage, 'bytes_mismatch', `${path} should be ${digest} and is ${actual}`)
  return done({ digest, bytes: bytes.value })
}
