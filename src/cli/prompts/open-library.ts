// Opens the library of a folder for one command.
import { hostConfigOf } from '../../book/host-config.ts'
import { openProductStore } from '../../book/product-store.ts'
import { actorOf, existingDatabase, tenantOf } from '../../book/record-folder.ts'
import type { Writer } from '../../engine/library/rows.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'

export async function withLibrary(input: Input, work: (store: Store, writer: Writer) => Promise<number>): Promise<number> {
  existingDatabase(input) // a library without templates has nothing to show or move
  const store = openProductStore(input)
  try {
    return await work(store, { tenant: tenantOf(input), libraryId: hostConfigOf(input).libraryId, actor: actorOf() })
  } finally {
    await store.close()
  }
}
