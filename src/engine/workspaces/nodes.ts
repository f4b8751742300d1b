// Loads tree nodes for core: from a bounded cache, else from the store.
import type { Digest } from '../../core/digest/digest.ts'
import { type Asking, readNode, type TreeNode } from '../../core/workspace/tree.ts'
import type { MadeNodes } from '../../core/workspace/update.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'

/** The most cached entries of a store, over all nodes: some tens of megabytes. */
const MOST_ENTRIES = 200_000

interface Kept {
  entries: number
  /** In order of use, the least recent first. */
  readonly nodes: Map<string, TreeNode>
}

const kept = new WeakMap<Store, Kept>()

/** Gives core every node that it asks for, until it has its answer; also nodes that are not stored yet. */
export async function conduct<T>(store: Store, tenant: string, asking: Asking<T>, made?: MadeNodes): Promise<T> {
  let step = asking.next()
  while (!step.done) step = asking.next(made?.get(step.value)?.node ?? (await nodeOf(store, tenant, step.value)))
  return step.value
}

async function nodeOf(store: Store, tenant: string, digest: Digest): Promise<TreeNode> {
  const memory = kept.get(store) ?? { entries: 0, nodes: new Map<string, TreeNode>() }
  kept.set(store, memory)
  const key = `${tenant} ${digest}`
  const cached = memory.nodes.get(key)
  const node = cached ?? readNode(new TextDecoder().decode(await store.object(tenant, digest)))
  if (node === null) throw new Fault('tree_invalid', { digest })
  memory.nodes.delete(key)
  memory.nodes.set(key, node)
  if (cached === undefined) forget(memory, node.entries.length + 1)
  return node
}

function forget(memory: Kept, added: number): void {
  memory.entries += added
  for (const [key, { entries }] of memory.nodes) {
    if (memory.entries <= MOST_ENTRIES) return
    memory.nodes.delete(key)
    memory.entries -= entries.length + 1
  }
}
