// onbook bundle install: installs a bundle into the library with its name.

import { openProductStore } from '../../book/product-store.ts'
import { actorOf, tenantOf } from '../../book/record-folder.ts'
import { soundBundle } from '../../engine/bundle/check-bundle.ts'
import { type InstalledNow, installBundle } from '../../engine/bundle/install-bundle.ts'
import type { Input } from '../commands.ts'
import { printJson } from '../terminal.ts'
import { readBundle } from './files.ts'
import { trustRoots } from './keys.ts'
import { trustOf } from './trust.ts'

export async function install(input: Input): Promise<number> {
  const { check, nameOf } = await trustRoots(input)
  // Checked before the store is opened: a refused bundle leaves no record behind.
  const bundle = soundBundle(await readBundle(String(input.bundle)), trustOf(input, check))
  const store = openProductStore(input)
  try {
    const installed = await installBundle(store, bundle, { tenant: tenantOf(input), actor: actorOf() })
    if (input.json) printJson(installed)
    else process.stdout.write(printed(installed, installed.key === null ? null : nameOf(installed.key)))
    return 0
  } finally {
    await store.close()
  }
}

function printed({ name, version, key, unchanged, added, kept, ambiguous }: InstalledNow, signer: string | null): string {
  if (unchanged) return `${name} ${version} is installed already, byte for byte.\n`
  const lines = [
    ...added,
    `Installed ${name} ${version}, ${key === null ? 'unsigned' : `signed by ${signer} (${key})`}: ${added.length} new, ${kept.length} there already.`,
    ...(ambiguous.length === 0 ? [] : [`Other libraries have these too, so refs must name one with libraryId: ${ambiguous.join(', ')}.`]),
  ]
  return `${lines.join('\n')}\n`
}
