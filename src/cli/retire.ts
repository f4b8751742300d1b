// onbook prompt retire: forbids a version from ever being activated again, in the registry and in the record.
import { databaseOf } from '../book/record-folder.ts'
import { templatesOfPack } from '../core/library/from-pack.ts'
import { findPack } from '../engine/packs/pack-folder.ts'
import { loadPack, retireVersion } from '../engine/packs/versions.ts'
import { libraryOf } from './activate.ts'
import type { Input } from './commands.ts'
import { workAt } from './host/which-host.ts'
import { locate } from './locate.ts'
import { printJson } from './terminal.ts'

export async function retire(input: Input): Promise<number> {
  const { workspace } = (await locate([])).targets[0]!
  const [agentId, version] = [String(input.agent), String(input.version)]
  const book = await libraryOf(input)
  const work = async (): Promise<number> => {
    await retireVersion(workspace.files, agentId, version, async () => {
      if (book === null) return
      const { pack } = await loadPack(workspace, findPack(workspace, `${agentId}@${version}`))
      const templateIds = templatesOfPack(pack, workspace.schemas).map(({ templateId }) => templateId)
      await book.packs.retire({ templateIds, version })
    })
    if (input.json) printJson({ agentId, version, status: 'retired' })
    else
      process.stdout.write(
        `${agentId}@${version} is retired${book === null ? ` in the registry; there is no record at ${databaseOf(input)}` : ''}.\n`,
      )
    return 0
  }
  return book === null ? work() : workAt(book, input, work)
}
