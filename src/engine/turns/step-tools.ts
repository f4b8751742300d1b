// Selects the tools that a node sees in a step, where the config of its turn does not decide alone: an agent or a spawned node may see
// fewer, a planner one more.
// Also writes the tool instructions for a provider that calls by line.

import type { Mode } from '../../core/compose/mode.ts'
import type { ToolProtocol } from '../../core/compose/system-block.ts'
import { type Digest, digestBytes, digestText } from '../../core/digest/digest.ts'
import { REQUEST_IMPLEMENTATION } from '../../core/gate/capability.ts'
import type { Calling } from '../../core/tools/asked-calls.ts'
import type { Descriptor } from '../../core/tools/catalog.ts'
import { GRAPH_TOOLS } from '../../core/tools/graph-descriptors.ts'
import { isRepoTool } from '../../core/tools/repo-descriptors.ts'
import { type StepInput, toolsOf } from '../../core/turn/materialize.ts'
import type { Store } from '../../ports.ts'
import { catalogText } from './catalog-text.ts'
import { toolsIn } from './model-call.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

export interface StoredCatalog {
  readonly digest: Digest
  readonly bytes: Uint8Array
}

export interface StepTools {
  readonly toolDigests: readonly Digest[]
  readonly objects: readonly Uint8Array[]
}

/** Its config, and the snapshot of this step. */
type TurnTools = Pick<StepInput, 'config' | 'snapshot'>

interface Showing {
  /** The tools that the node is limited to; null for no limit. */
  readonly listed: readonly string[] | null
  readonly mode: Mode
  readonly calling: Calling
  /** The catalog that planning adds. */
  readonly planning: string
}

/** Null when config and snapshot decide. */
export async function stepTools(
  store: Store,
  tenant: string,
  turn: TurnTools,
  hostCatalog: StoredCatalog | null,
  { listed, mode, calling, planning }: Showing,
): Promise<StepTools | null> {
  const allowed = allowedTo(listed, calling)
  if (allowed === null && mode !== 'planning') return null
  const { tools } = toolsOf({ ...turn, hostCatalog: hostCatalog?.digest ?? null })
  const usual = tools ?? []
  const shown = allowed === null ? null : await onlyThose(store, tenant, usual, hostCatalog, allowed)
  const texts = [...(shown === null ? [] : [shown]), ...(mode === 'planning' ? [planning] : [])]
  return {
    toolDigests: [...(shown === null ? usual : []), ...texts.map(digestText)],
    objects: [...bytesOf(hostCatalog), ...texts.map(encode)],
  }
}

async function onlyThose(
  store: Store,
  tenant: string,
  digests: readonly Digest[],
  hostCatalog: StoredCatalog | null,
  allowed: readonly string[],
): Promise<string> {
  const { tools } = await toolsIn(reading(store, tenant, bytesOf(hostCatalog)), digests)
  return catalogText(tools.filter(({ name }) => allowed.includes(name)))
}

/** All that is shown. @param made for the step; null when config and snapshot decide */
export async function shownTools(
  store: Store,
  tenant: string,
  turn: TurnTools,
  hostCatalog: StoredCatalog | null,
  made: StepTools | null,
): Promise<readonly Descriptor[]> {
  const usual = toolsOf({ ...turn, hostCatalog: hostCatalog?.digest ?? null })
  const read = reading(store, tenant, [...bytesOf(hostCatalog), ...(made?.objects ?? [])])
  return (await toolsIn(read, made?.toolDigests ?? usual.tools ?? [])).tools
}

const bytesOf = (catalog: StoredCatalog | null): readonly Uint8Array[] => (catalog === null ? [] : [catalog.bytes])

/** @param unstored what the same commit will store */
function reading(store: Store, tenant: string, unstored: readonly Uint8Array[]): (digest: Digest) => Promise<Uint8Array> {
  const known = new Map(unstored.map(one => [digestBytes(one), one]))
  return async digest => known.get(digest) ?? store.object(tenant, digest)
}

/** A provider with its own tools sees only the tools that need the host. */
export function allowedTo(listed: readonly string[] | null, calling: Calling): readonly string[] | null {
  if (calling !== 'own') return listed
  return GRAPH_TOOLS.filter(name => listed === null || listed.includes(name))
}

const native = (hasTools: boolean, hasRepoTools: boolean): ToolProtocol => ({ lineTools: [], nativeTools: true, hasTools, hasRepoTools })

/** The same objects every time: what composing makes of the contract hangs on them. */
const NATIVE = { none: native(false, false), some: native(true, false), repo: native(true, true) }

/** @param tools the tools that the step shows */
export function protocolOf(calling: Calling, tools: readonly Descriptor[]): ToolProtocol {
  // Planning shows one more tool: with it, the mode matters too.
  const hasRepoTools = tools.some(({ name }) => isRepoTool(name) || name === REQUEST_IMPLEMENTATION)
  if (calling === 'native') return tools.length === 0 ? NATIVE.none : hasRepoTools ? NATIVE.repo : NATIVE.some
  return {
    lineTools: tools.map(({ name, description, inputSchema }) => ({ name, description, args: inputSchema })),
    nativeTools: calling === 'own',
    // A provider with tools of its own works on files with those.
    hasTools: tools.length > 0 || calling === 'own',
    hasRepoTools: hasRepoTools || calling === 'own',
  }
}
