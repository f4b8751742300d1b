// onbook prompt rollback: makes the previous version active again, or moves a label back to its previous version.
import { ACTIVE_LABEL } from '../../core/library/events.ts'
import { hasPack } from '../../engine/packs/pack-folder.ts'
import { activate } from '../activate.ts'
import type { Input } from '../commands.ts'
import { label } from '../host/label.ts'
import { locate } from '../locate.ts'

/** A pack of this folder is checked and tested before it is active again. For a template without a pack, only the label moves. */
export async function rollback(input: Input): Promise<number> {
  const [name, to] = [String(input.prompt), input.label ?? ACTIVE_LABEL]
  const { workspace } = (await locate([])).targets[0]!
  if (to === ACTIVE_LABEL && hasPack(workspace, name)) return activate({ ...input, agent: name, back: true })
  return label({ ...input, template: name, label: to, back: true })
}
