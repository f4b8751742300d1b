// Documents of definitions: checked before they are published, parsed when they are used. Parsed documents are cached by digest.
import type { Definition, DefinitionKind } from '../../core/definition/published.ts'
import { canonicalJson, type Digest, digestBytes, type Json } from '../../core/digest/digest.ts'
import { pointerText } from '../../core/schema/pointer.ts'
import type { Mismatch } from '../../core/schema/verdict.ts'
import { NODE_TYPES } from '../../core/workflow/node-types.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { BYTES_ALONE, remembered, rememberedContent } from '../reading/remembered.ts'
import type { PreparedDefinition } from './publish.ts'
import { findDefinition } from './rows.ts'

/** How one kind of document is read. */
export interface DocumentReader<T> {
  readonly kind: DefinitionKind
  read(document: Json): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly Mismatch[] }
  /** Fields that the record lists beside the document. */
  about(value: T): Pick<Definition, 'id' | 'name' | 'version'>
}

export interface LoadedDefinition<T> {
  readonly value: T
  readonly digest: Digest
  readonly revision: number
}

/** @param what the name of the document in problems */
export function prepareDefinition<T>({ kind, read, about }: DocumentReader<T>, document: Json, what: string): PreparedDefinition {
  const result = read(document)
  if (!result.ok) throw invalid(kind, what, result.problems)
  const bytes = new TextEncoder().encode(canonicalJson(document))
  return { kind, ...about(result.value), document: digestBytes(bytes), bytes }
}

/** The current definition with this id, or null. */
export async function loadDefinition<T>(
  store: Store,
  reader: DocumentReader<T>,
  tenant: string,
  id: string,
): Promise<LoadedDefinition<T> | null> {
  const row = await findDefinition(store, reader.kind, tenant, id)
  if (row === null) return null
  return { value: await documentAt(store, reader, row.tenant, row.document), digest: row.document, revision: row.revision }
}

/** The document with this digest, also when a newer one is published. Bytes may be erased, so they are read again after every erasure. */
export function documentAt<T>(store: Store, { kind, read }: DocumentReader<T>, tenant: string, digest: Digest): Promise<T> {
  const key = JSON.stringify(['document', kind, tenant, digest])
  return remembered(store, BYTES_ALONE, key, async () => {
    const bytes = await store.object(tenant, digest)
    const parse = async (): Promise<T> => {
      const result = read(JSON.parse(new TextDecoder().decode(bytes)) as Json)
      if (!result.ok) throw invalid(kind, digest, result.problems)
      return result.value
    }
    return rememberedContent(store, key, parse, () => bytes.length * PARSED_FACTOR)
  })
}

/** A parsed document takes several times its bytes. */
const PARSED_FACTOR = 4
/** An author fixes a few at a time: at most this many are listed, and fewer of them in the message. */
const MOST_PROBLEMS = 100
const MOST_SAID = 3

function invalid(kind: DefinitionKind, what: string, mismatches: readonly Mismatch[]): Fault {
  const problems = mismatches.slice(0, MOST_PROBLEMS).map(({ pointer, message }) => ({ pointer: pointerText(pointer), message }))
  const messages = problems.slice(0, MOST_SAID).map(({ message }) => message)
  const problem = [...messages, ...(problems.length > MOST_SAID ? [`and ${problems.length - MOST_SAID} more`] : [])].join('; ')
  // A program that reads the code must not take an unknown type for a typing error.
  if (mismatches.some(({ code }) => code === 'node_type_unknown'))
    return new Fault('node_type_unknown', { what, problem, problems, known: NODE_TYPES })
  return new Fault(`${kind}_invalid`, { what, problem, problems })
}
