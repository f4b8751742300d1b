// The commands that ask the record.
import type { Command } from './commands.ts'
import { HOST_CONFIG, WHERE } from './options.ts'

export const QUESTION_COMMANDS: readonly Command[] = [
  {
    name: 'why',
    arguments: ['[run]'],
    summary:
      'say which of the places a prompt could come from won, over what, and what was in force; of a run, of a run file, or of files on disk',
    options: [
      { flags: '--edit <workflow>', summary: 'answer for a workflow’s file as it lies here, without running it' },
      { flags: '--node <id>', summary: 'this node alone' },
      { flags: '--kind <kind>', summary: 'this kind alone: system, few-shot, user, schema-hint' },
      { flags: '--visit <n>', summary: 'this visit of a node (default: the newest)' },
      HOST_CONFIG,
      ...WHERE,
    ],
    example: 'onbook why run_0123456789abcdefghjkmnpq --node writer --kind system',
    load: async () => (await import('./questions/why.ts')).why,
  },
  {
    name: 'replay',
    arguments: ['<run>'],
    summary: 'make a run again from its record, without a model, and name what comes out otherwise; of a run or of a run file',
    options: [
      { flags: '--level <n>', summary: '1: fold its events; 2: also choose, compose and judge again (default: 2)' },
      HOST_CONFIG,
      ...WHERE,
    ],
    example: 'onbook replay run_0123456789abcdefghjkmnpq',
    load: async () => (await import('./questions/replay.ts')).replay,
  },
]
