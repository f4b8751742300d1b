// The compiled packs of one version of a workspace: their templates, and the active version of each pack.
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import type { PromptKind } from '../pack/compile.ts'

export interface PackTemplate {
  readonly templateId: string
  readonly version: string
  readonly kind: PromptKind
  readonly digest: Digest
}

/** A node of the record: every template and schema that it names is stored with it. */
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

const isOfPack = (pack: string, { templateId, kind }: PackTemplate): boolean =>
  templateId === (kind === 'system' ? pack : `${pack}.${kind}`)

/** By template: the digests that one version of a pack has. */
export const templatesIn = ({ templates }: PackSet, pack: string, version: string): ReadonlyMap<string, Digest> =>
  new Map(templates.filter(one => one.version === version && isOfPack(pack, one)).map(({ templateId, digest }) => [templateId, digest]))

export const isSameTemplates = (one: ReadonlyMap<string, Digest>, other: ReadonlyMap<string, Digest>): boolean =>
  one.size === other.size && [...one].every(([templateId, digest]) => other.get(templateId) === digest)

/** Each has a system template, which is named like its pack. */
export const packsIn = ({ templates }: PackSet): readonly string[] => [
  ...new Set(templates.filter(({ kind }) => kind === 'system').map(({ templateId }) => templateId)),
]

/** The one set with these templates taken from another: active version, texts and schemas. */
export function withTemplatesOf(own: PackSet, other: PackSet, taken: readonly string[]): PackSet {
  const isTaken = (templateId: string): boolean => taken.includes(templateId)
  const isTakenRef = (ref: string): boolean => taken.some(templateId => ref.startsWith(`prompt:${templateId}@`))
  const pick = <T>(mine: Readonly<Record<string, T>>, theirs: Readonly<Record<string, T>>, isTheirs: (key: string) => boolean) =>
    Object.fromEntries([
      ...Object.entries(mine).filter(([key]) => !isTheirs(key)),
      ...Object.entries(theirs).filter(([key]) => isTheirs(key)),
    ])
  const templates = [
    ...own.templates.filter(({ templateId }) => !isTaken(templateId)),
    ...other.templates.filter(({ templateId }) => isTaken(templateId)),
  ]
  return { templates, active: pick(own.active, other.active, isTaken), schemas: pick(own.schemas, other.schemas, isTakenRef) }
}

/** The library id of templates from a snapshot. A library cannot have this name. */
export const snapshotLibrary = ({ workspace }: SnapshotSource): string => `workspace:${workspace}`
