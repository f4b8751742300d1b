// onbook bundle list: lists the installed bundles, with who installed and who signed them.

import { openProductStore } from '../../book/product-store.ts'
import { existingDatabase, tenantOf } from '../../book/record-folder.ts'
import { installedBundles } from '../../engine/bundle/installed.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { firstRows } from '../report/page.ts'
import { printJson } from '../terminal.ts'
import { trustRoots } from './keys.ts'

export async function list(input: Input): Promise<number> {
  existingDatabase(input) // a read-only command creates no record
  const { nameOf } = await trustRoots(input)
  const store = openProductStore(input)
  try {
    const bundles = firstRows(await installedBundles(store, tenantOf(input)), input)
    const signer = (key: string | null): string => (key === null ? 'nobody' : (nameOf(key) ?? key))
    if (input.json) printJson({ bundles })
    else if (bundles.length === 0) process.stdout.write('No bundles are installed.\n')
    else
      process.stdout.write(
        columns([
          ['bundle', 'version', 'templates', 'signed by', 'since', 'by'],
          ...bundles.map(one => [one.name, one.version, String(one.templates), signer(one.key), one.at, one.actor]),
        ]),
      )
    return 0
  } finally {
    await store.close()
  }
}
