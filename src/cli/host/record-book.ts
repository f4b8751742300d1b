// Opens the book for commands that read or write the record and start no work: of the named host, else of the folder.
import { openRecordBook } from '../../book/record-book.ts'
import { existingDatabase } from '../../book/record-folder.ts'
import { type Book, connect } from '../../book.ts'
import type { Input } from '../commands.ts'
import { hostFor, isHostNamed, workAt } from './which-host.ts'

/**
 * Creates the record of the folder when no host is named and the record does not exist. A host that runs on the folder is not used, so that the
 * record names the user of the command, not the key of the folder.
 */
export async function openRecordOf(input: Input): Promise<Book> {
  const host = isHostNamed(input) ? await hostFor(input) : null
  return host === null ? openRecordBook(input) : connect(host)
}

/** For a command that never creates a record. */
export async function withRecordBook(input: Input, work: (book: Book) => Promise<number>): Promise<number> {
  if (!isHostNamed(input)) existingDatabase(input)
  return workAt(await openRecordOf(input), input, work)
}
