// Merges changes into the annotations of a file or a folder.
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { readAnnotations } from './read.ts'
import type { WorkspaceVersion } from './versions.ts'

const MOST_BYTES = 64 * 1024

/** The object that holds them; null when none are left. In a patch null takes one away. */
export async function annotated(
  store: Store,
  tenant: string,
  head: WorkspaceVersion | null,
  path: string,
  patch: JsonObject,
): Promise<Uint8Array | null> {
  // A key that begins with a dollar could make them look like a node.
  const wrong = Object.keys(patch).find(key => key.startsWith('$') || key === '')
  if (wrong !== undefined) throw new Fault('validation_error', { problem: `"${wrong}" cannot be the name of an annotation` })
  const before = head === null ? {} : await annotationsBefore(store, tenant, head, path)
  const after = Object.entries({ ...before, ...patch }).filter(([, value]) => value !== null)
  if (after.length === 0) return null
  const bytes = new TextEncoder().encode(canonicalJson(Object.fromEntries(after) as Json))
  if (bytes.length > MOST_BYTES)
    throw new Fault('validation_error', { problem: `the annotations of ${path || 'the root'} have more than ${MOST_BYTES} bytes` })
  return bytes
}

/** A caller with write access may build on existing annotations. A file that is written and annotated at once has none yet. */
const annotationsBefore = (store: Store, tenant: string, { workspace, root }: WorkspaceVersion, path: string): Promise<JsonObject> =>
  readAnnotations(store, { tenant, policy: EVERYTHING }, { workspace, root }, path).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'workspace_path_missing') return {}
    throw error
  })
