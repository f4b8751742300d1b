// onbook retire: forbid a version from ever being activated again, in the registry and in the record.
import { existsSync } from 'node:fs'
import { hostConfigOf } from '../book/host-config.ts'
import { openProductStore } from '../book/product-store.ts'
import { actorOf, databaseOf, tenantOf } from '../book/record-folder.ts'
import { templatesOfPack } from '../core/library/from-pack.ts'
import { retireTemplates } from '../engine/library/retire.ts'
import { findPack } from '../engine/packs/pack-folder.ts'
import { loadPack, retireVersion } from '../engine/packs/versions.ts'
import type { Input } from './commands.ts'
import { locate } from './locate.ts'
import { printJson } from './terminal.ts'

export async function retire(input: Input): Promise<number> {
  const { workspace } = (await locate([])).targets[0]!
  const [agentId, version] = [String(input.agent), String(input.version)]
  const store = existsSync(databaseOf(input)) ? openProductStore(input) : null
  const writer = { tenant: tenantOf(input), libraryId: hostConfigOf(input).libraryId, actor: actorOf() }
  try {
    await retireVersion(workspace.files, agentId, version, async () => {
      if (store === null) return
      const { pack } = await loadPack(workspace, findPack(workspace, `${agentId}@${version}`))
      const ids = templatesOfPack(pack, workspace.schemas).map(({ templateId }) => templateId)
      await retireTemplates(store, writer, ids, version)
    })
    if (input.json) printJson({ agentId, version, status: 'retired' })
    else
      process.stdout.write(
        `${agentId}@${version} is retired${store === null ? ` in the registry; there is no record at ${databaseOf(input)}` : ''}.\n`,
      )
    return 0
  } finally {
    await store?.close()
  }
}
