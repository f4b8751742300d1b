// Folder: Which document the id of a workflow or an agent means: revisions, events, tables. It does not read the documents.
// The current document of each workflow and agent id, on the record. Does not interpret documents.
import type { Digest, Json } from '../digest/digest.ts'
import type { EventDraft } from '../record/event.ts'
import type { Projection } from '../record/projection.ts'

export type DefinitionKind = 'workflow' | 'agent'

/** One stream per definition, so that changes to different definitions never wait for one another. */
export const definitionStream = (kind: DefinitionKind, id: string): string => `${kind}/${id}`

/** The description of a definition, beside its document. */
export interface Definition {
  readonly kind: DefinitionKind
  readonly id: string
  /** For people. */
  readonly name: string
  /** The author's own version; null without one. */
  readonly version: string | null
  /** The canonical JSON of the document. */
  readonly document: Digest
}

/** The latest document of an id, also after its removal. */
export interface DefinitionHead {
  /** 1, 2, 3 …, also across a removal: two documents never share a revision. */
  readonly revision: number
  readonly document: Digest
  readonly removed: boolean
}

const idField = (kind: DefinitionKind): string => `${kind}Id`

export type PublishDecision =
  | { readonly outcome: 'published'; readonly revision: number; readonly draft: EventDraft }
  /** It is there already, byte for byte: nothing is written. */
  | { readonly outcome: 'unchanged'; readonly revision: number }

export function decideDefinition(head: DefinitionHead | null, definition: Definition, actor: string): PublishDecision {
  const { kind, id, name, version, document } = definition
  if (head !== null && !head.removed && head.document === document) return { outcome: 'unchanged', revision: head.revision }
  const revision = (head?.revision ?? 0) + 1
  const payload: Json = { [idField(kind)]: id, name, version, revision, document }
  return { outcome: 'published', revision, draft: { type: `${kind}.published`, actor, payload } }
}

export const removedDraft = (kind: DefinitionKind, id: string, revision: number, actor: string): EventDraft => ({
  type: `${kind}.removed`,
  actor,
  payload: { [idField(kind)]: id, revision },
})

const rowsOf = (kind: DefinitionKind): Projection => ({
  table: `${kind}s`,
  columns: {
    id: 'text',
    name: 'text',
    version: 'text',
    revision: 'integer',
    document: 'text',
    at: 'text',
    actor: 'text',
    removed: 'integer',
  },
  key: ['id'],
  indexes: [['id']],
  from: {
    [`${kind}.published`]: [
      {
        put: {
          id: `payload.${idField(kind)}`,
          name: 'payload.name',
          version: 'payload.version',
          revision: 'payload.revision',
          document: 'payload.document',
          at: 'at',
          actor: 'actor',
          removed: { always: 0 },
        },
      },
    ],
    [`${kind}.removed`]: [{ put: { id: `payload.${idField(kind)}`, at: 'at', actor: 'actor', removed: { always: 1 } } }],
  },
})

export const definitionRows: Readonly<Record<DefinitionKind, Projection>> = { workflow: rowsOf('workflow'), agent: rowsOf('agent') }
