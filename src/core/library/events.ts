// The events of a library: templates are published and removed, and labels move. Bodies are objects.
import type { Digest, Json } from '../digest/digest.ts'
import type { PromptKind } from '../pack/compile.ts'
import type { EventDraft } from '../record/event.ts'
import type { Projection } from '../record/projection.ts'
import { DEFAULT_TAG, type LibraryTemplate, type TemplateOrigin, templateDigest } from './template.ts'

/** Templates of a workspace are in a stream of their own: only members of the workspace see them. */
export const libraryStream = (libraryId: string, workspace: string | null = null): string =>
  workspace === null ? `library/${libraryId}` : `${WORKSPACE_LIBRARY}/${workspace}/${libraryId}`

const WORKSPACE_LIBRARY = 'workspace-library'
/** Families (`streamFamily`) of the streams of all libraries. */
export const LIBRARY_FAMILIES: readonly string[] = ['library', WORKSPACE_LIBRARY]
/** The prefix of the names of their streams. */
export const WORKSPACE_LIBRARIES = `${WORKSPACE_LIBRARY}/`

/** The library of a stream, and its workspace. Null for the tenant's own. */
export function libraryPlace(stream: string): { readonly libraryId: string; readonly workspace: string | null } {
  const [kind, first = '', ...rest] = stream.split('/')
  return kind === WORKSPACE_LIBRARY
    ? { libraryId: rest.join('/'), workspace: first }
    : { libraryId: [first, ...rest].join('/'), workspace: null }
}

export interface Published {
  readonly templateId: string
  readonly version: string
  readonly kind: PromptKind
  readonly origin: TemplateOrigin
  readonly tags: readonly string[]
  readonly modelClass: string | null
  /** The kind that it is a default of; null otherwise. */
  readonly defaultOf: PromptKind | null
  readonly template: Digest
}

export function publishedDraft(template: LibraryTemplate, actor: string): EventDraft {
  const { templateId, version, kind, tags = [], modelHints, meta } = template
  const payload: Published = {
    templateId,
    version,
    kind,
    origin: meta?.source ?? 'user',
    tags,
    modelClass: modelHints?.modelClass ?? null,
    defaultOf: tags.includes(DEFAULT_TAG) ? kind : null,
    template: templateDigest(template),
  }
  return { type: 'template.published', actor, payload: payload as unknown as Json }
}

export interface PackSchemasKept {
  readonly templateId: string
  readonly version: string
  readonly schemas: Digest
}

/** Records the input and output schemas of a pack, beside its templates, which are immutable. */
export const packSchemasDraft = (schemas: PackSchemasKept, actor: string): EventDraft => ({
  type: 'pack.schemasKept',
  actor,
  payload: schemas as unknown as Json,
})

/** The versions stay reserved: a name that once meant one text never means another. */
export const removedDraft = (templateId: string, versions: readonly string[], actor: string): EventDraft => ({
  type: 'template.removed',
  actor,
  payload: { templateId, versions: versions.map(version => ({ version })) },
})

/** A retired version is used only where a ref names it. */
export const retiredDraft = (templateId: string, version: string, actor: string): EventDraft => ({
  type: 'template.retired',
  actor,
  payload: { templateId, version },
})

/** The label that says which version of a template is active in its library. */
export const ACTIVE_LABEL = 'active'

export interface LabelMove {
  readonly templateId: string
  readonly label: string
  readonly from: string | null
  /** Null when the label is taken away. */
  readonly to: string | null
  readonly why: string | null
}

export const labelMovedDraft = (move: LabelMove, actor: string): EventDraft => ({
  type: 'label.moved',
  actor,
  payload: move as unknown as Json,
})

export const labelProtectedDraft = (label: string, isProtected: boolean, actor: string): EventDraft => ({
  type: 'label.protected',
  actor,
  payload: { label, protected: isProtected },
})

export const templateRows: Projection = {
  table: 'templates',
  columns: {
    templateId: 'text',
    version: 'text',
    kind: 'text',
    origin: 'text',
    tags: 'text',
    modelClass: 'text',
    defaultOf: 'text',
    template: 'text',
    removed: 'integer',
    retired: 'integer',
  },
  key: ['templateId', 'version'],
  // The filters of lists: in a library of a million templates, a rare value is found without reading the rest.
  indexes: [['templateId'], ['defaultOf'], ['kind', 'templateId'], ['origin', 'templateId'], ['modelClass', 'templateId']],
  from: {
    'template.published': [
      {
        put: {
          templateId: 'payload.templateId',
          version: 'payload.version',
          kind: 'payload.kind',
          origin: 'payload.origin',
          tags: 'payload.tags',
          modelClass: 'payload.modelClass',
          defaultOf: 'payload.defaultOf',
          template: 'payload.template',
          removed: { always: 0 },
          retired: { always: 0 },
        },
      },
    ],
    'template.retired': [{ put: { templateId: 'payload.templateId', version: 'payload.version', retired: { always: 1 } } }],
    'template.removed': [
      {
        each: 'payload.versions',
        put: { templateId: 'payload.templateId', version: 'item.version', removed: { always: 1 }, defaultOf: { always: null } },
      },
    ],
  },
}

/** Which versions have a tag, or had it before they were removed. */
export const templateTagRows: Projection = {
  table: 'templateTags',
  columns: { tag: 'text', templateId: 'text', version: 'text' },
  key: ['tag', 'templateId', 'version'],
  indexes: [['tag', 'templateId']],
  from: {
    'template.published': [{ each: 'payload.tags', put: { tag: 'item', templateId: 'payload.templateId', version: 'payload.version' } }],
  },
}

export const labelRows: Projection = {
  table: 'labels',
  columns: { templateId: 'text', label: 'text', version: 'text', actor: 'text', at: 'text', why: 'text' },
  key: ['templateId', 'label'],
  from: {
    'label.moved': [
      {
        put: {
          templateId: 'payload.templateId',
          label: 'payload.label',
          version: 'payload.to',
          actor: 'actor',
          at: 'at',
          why: 'payload.why',
        },
      },
    ],
  },
}

/** Every move, by the sequence of its event. */
export const labelMoveRows: Projection = {
  table: 'labelMoves',
  columns: { templateId: 'text', label: 'text', move: 'integer', from: 'text', to: 'text', actor: 'text', at: 'text', why: 'text' },
  key: ['templateId', 'label', 'move'],
  indexes: [['templateId', 'label']],
  from: {
    'label.moved': [
      {
        put: {
          templateId: 'payload.templateId',
          label: 'payload.label',
          move: 'seq',
          from: 'payload.from',
          to: 'payload.to',
          actor: 'actor',
          at: 'at',
          why: 'payload.why',
        },
      },
    ],
  },
}

export const protectedLabelRows: Projection = {
  table: 'protectedLabels',
  columns: { label: 'text', protected: 'integer' },
  key: ['label'],
  from: { 'label.protected': [{ put: { label: 'payload.label', protected: 'payload.protected' } }] },
}

export const packSchemaRows: Projection = {
  table: 'packSchemas',
  columns: { templateId: 'text', version: 'text', schemas: 'text' },
  key: ['templateId', 'version'],
  from: {
    'pack.schemasKept': [{ put: { templateId: 'payload.templateId', version: 'payload.version', schemas: 'payload.schemas' } }],
  },
}

export const LIBRARY_PROJECTIONS: readonly Projection[] = [
  templateRows,
  templateTagRows,
  labelRows,
  labelMoveRows,
  protectedLabelRows,
  packSchemaRows,
]
