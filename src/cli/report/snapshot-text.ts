// Describes a workspace snapshot in a few words: its version, and its parts.
import type { WireSnapshot } from '../../wire/onbook/sessions.ts'

export const snapshotText = ({ workspace, version, prelude, catalog, legacy, packs }: WireSnapshot): string => {
  const parts = [
    ...(prelude === null ? [] : [`prelude ${prelude.name}`]),
    ...(catalog === null ? [] : [legacy ? 'tools found in tools/' : `catalog ${catalog.name}`]),
    ...(packs === undefined ? [] : ['packs']),
  ]
  return `${workspace}, version ${version}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`
}
