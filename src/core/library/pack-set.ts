// The packs of one version of a workspace, compiled: which templates they have, and which version of each pack its registry calls active.
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import type { PromptKind } from '../pack/compile.ts'

export interface PackTemplate {
  readonly templateId: string
  readonly version: string
  readonly kind: PromptKind
  readonly digest: Digest
}

/** A node of the record: every template and schema that it names is kept with it. */
export interface PackSet {
  readonly templates: readonly PackTemplate[]
  /** By template: the version of its pack that is active. */
  readonly active: Readonly<Record<string, string>>
  /** By the pinned ref of a system template: the schemas that its pack's input and output must fit. */
  readonly schemas: Readonly<Record<string, Digest>>
}

export const packSetText = (packs: PackSet): string => canonicalJson({ $node: 'packs', ...packs } as unknown as Json)

/** The version of a workspace that a template was taken from. */
export interface SnapshotSource {
  readonly workspace: string
  readonly version: number
  readonly root: Digest
}

/** A pack set, and the snapshot that carries it. */
export interface SnapshotPacks {
  readonly source: SnapshotSource
  readonly packs: PackSet
}

/** The schemas of the pack that a resolved system template is of; null where a library gave the template. */
export const schemasIn = (snapshot: SnapshotPacks | null, ref: string | null, from: SnapshotSource | undefined): Digest | null =>
  from === undefined || ref === null ? null : (snapshot?.packs.schemas[ref] ?? null)

/** The library id of templates that a snapshot gives. A library cannot have this name. */
export const snapshotLibrary = ({ workspace }: SnapshotSource): string => `workspace:${workspace}`
