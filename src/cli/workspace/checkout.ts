// Folder: Commands about workspaces.
// onbook workspace checkout NAME[@N] DIR: writes the files of a published version to a folder.
import { type WrittenFile, writeFolder } from '../../adapters/folder/folder-tree-write.ts'
import type { Input } from '../commands.ts'
import { withRecordBook } from '../host/record-book.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { counted } from './format.ts'
import { choiceOf } from './open-workspaces.ts'

export const checkout = (input: Input): Promise<number> =>
  withRecordBook(input, async book => {
    const { workspace, ...choice } = choiceOf(input.name)
    const { version, root } = await book.workspaces.get(workspace, choice)
    const files = async function* (): AsyncIterable<WrittenFile> {
      for await (const { path, kind, mode } of book.workspaces.tree(workspace, { version }))
        if (kind === 'file') yield { path, mode, bytes: () => piecesOf(book.workspaces.read(workspace, path, { version })) }
    }
    const folder = String(input.dir)
    const written = await writeFolder(folder, files(), input.force === true)
    if (input.json) printJson({ workspace, version, root, folder, files: written })
    else process.stdout.write(`${visible(`Version ${version} of ${workspace} is in ${folder}: ${counted(written, 'file')}.`)}\n`)
    return 0
  })

async function* piecesOf(bytes: Promise<Uint8Array>): AsyncIterable<Uint8Array> {
  yield await bytes
}
