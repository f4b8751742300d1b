// Folder: Commands about workspaces.
// onbook workspace checkout NAME[@N] DIR: the files of a version as they were published.
import { type WrittenFile, writeFolder } from '../../adapters/folder/folder-tree-write.ts'
import { listFiles } from '../../engine/workspaces/read.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { counted } from './format.ts'
import { choiceOf, withWorkspaces } from './open-workspaces.ts'

export const checkout = (input: Input): Promise<number> =>
  withWorkspaces(input, async (store, user) => {
    const { version, entries } = await listFiles(store, user, { ...choiceOf(input.name), scope: 'subtree' })
    const files = async function* (): AsyncIterable<WrittenFile> {
      for (const { path, kind, mode, digest } of entries)
        if (kind === 'file') yield { path, mode, bytes: () => store.readObject(user.tenant, digest) }
    }
    const folder = String(input.dir)
    const written = await writeFolder(folder, files(), input.force === true)
    const { workspace, version: number, root } = version
    if (input.json) printJson({ workspace, version: number, root, folder, files: written })
    else process.stdout.write(`${visible(`Version ${number} of ${workspace} is in ${folder}: ${counted(written, 'file')}.`)}\n`)
    return 0
  })
