// Where an imported run is kept: as the file that it came in, beside the record and not part of it.
import { join } from 'node:path'
import { folderOf } from '../../book/record-folder.ts'
import type { Input } from '../commands.ts'

export const importedPath = (input: Input, runId: string): string => join(folderOf(input), 'imported', `${encodeURIComponent(runId)}.jsonl`)
