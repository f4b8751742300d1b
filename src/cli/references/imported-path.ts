// The path of an imported run: the run file lies beside the record and is not part of it.
import { join } from 'node:path'
import { folderOf } from '../../book/record-folder.ts'
import type { Input } from '../commands.ts'

export const importedPath = (input: Input, runId: string): string => join(folderOf(input), 'imported', `${encodeURIComponent(runId)}.jsonl`)
