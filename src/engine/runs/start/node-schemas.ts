// Finds the schemas for a node's input and output: those that the run froze, or those of the snapshot that gives its prompt.
import type { Digest } from '../../../core/digest/digest.ts'
import { type SnapshotPacks, schemasIn } from '../../../core/library/pack-set.ts'
import type { Resolution } from '../../../core/resolve/resolve.ts'
import type { WorkflowNode } from '../../../core/workflow/workflow.ts'
import { composeStyle } from '../../turns/task.ts'
import type { LoadedFrozen } from './frozen.ts'
import { isPackNode } from './pack-nodes.ts'

/** @param resolutions of the node with this snapshot, of kind `system` at least */
export function nodeSchemas(
  frozen: LoadedFrozen,
  node: WorkflowNode,
  snapshot: SnapshotPacks | null,
  resolutions: readonly Resolution[],
): Digest | null {
  const applied = resolutions.find(({ kind }) => kind === 'system')?.trace.find(entry => entry.applied)
  const own = isPackNode(composeStyle(frozen, node), node) ? schemasIn(snapshot, applied?.ref ?? null, applied?.snapshot) : null
  return own ?? frozen.packs?.[node.id] ?? null
}
