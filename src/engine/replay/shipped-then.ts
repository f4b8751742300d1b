// Finds the built-in texts of the release that recorded a step. Another version comes from the record. The same version comes from
// this release, so that a changed text under an unchanged version is detected.
import type { Mode } from '../../core/compose/mode.ts'
import type { PartName } from '../../core/compose/parts.ts'
import { type ShippedTemplate, shipped } from '../../core/compose/shipped.ts'
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { REQUEST_IMPLEMENTATION } from '../../core/gate/capability.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import { readTools } from '../../core/tools/read-tools.ts'
import type { StepStarted } from '../../core/turn/events.ts'
import type { Store } from '../../ports.ts'
import { rememberedContent } from '../reading/remembered.ts'
import { SHIPPED, type Shipped } from '../turns/shipped.ts'

/** @param mode that the step is made in */
export async function shippedThen(
  store: Store,
  tenant: string,
  { prompt, request }: Pick<StepStarted, 'prompt' | 'request'>,
  mode: Mode,
): Promise<Shipped> {
  const blockThen = async (part: PartName, now: ShippedTemplate): Promise<ShippedTemplate> => {
    const named = prompt.templates.find(one => one.part === part)
    return named === undefined || !isOtherVersion(named.ref, now.ref) ? now : storedBlock(store, tenant, named.template)
  }
  const { system, calls, modes } = SHIPPED.blocks
  return {
    blocks: {
      system: await blockThen('contract', system),
      calls: await blockThen('contract', calls),
      modes: { ...modes, [mode]: await blockThen('mode', modes[mode]) },
    },
    planning: mode === 'planning' ? await planningThen(store, tenant, request.tools ?? []) : SHIPPED.planning,
  }
}

const isOtherVersion = (ref: string, now: string): boolean => ref !== now && ref.startsWith(now.slice(0, now.indexOf('@') + 1))

/** The same object every time: composing caches by identity. */
const storedBlock = (store: Store, tenant: string, digest: Digest): Promise<ShippedTemplate> =>
  rememberedContent(store, JSON.stringify(['shipped', tenant, digest]), async () =>
    shipped(JSON.parse(new TextDecoder().decode(await store.object(tenant, digest))) as LibraryTemplate),
  )

const PLANNING = digestText(SHIPPED.planning)

/** This catalog has no version: the last catalog that was shown is assumed, if planning adds it. */
async function planningThen(store: Store, tenant: string, shown: readonly Digest[]): Promise<string> {
  const digest = shown.at(-1)
  if (digest === undefined || digest === PLANNING) return SHIPPED.planning
  const bytes = await store.object(tenant, digest)
  const read = readTools(bytes)
  const isAdded = read.ok && read.tools.length === 1 && read.tools[0]!.name === REQUEST_IMPLEMENTATION
  return isAdded ? new TextDecoder().decode(bytes) : SHIPPED.planning
}
