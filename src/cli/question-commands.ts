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
    name: 'blame',
    arguments: ['<run>'],
    summary: 'say of every word of a prompt who put it there and where it is written; of a run or of a run file',
    options: [
      { flags: '--node <id>', summary: 'the whole prompt of this node, line by line' },
      { flags: '--visit <n>', summary: 'this visit of a node (default: the newest)' },
      { flags: '--step <n>', summary: 'this step of a visit (default: the newest)' },
      ...WHERE,
    ],
    example: 'onbook blame run_0123456789abcdefghjkmnpq --node writer',
    load: async () => (await import('./questions/blame.ts')).blame,
  },
  {
    name: 'prefix',
    arguments: ['<run>'],
    summary: 'say how much of what a node is sent stays the same from step to step, and what breaks it; of a run or of a run file',
    options: [{ flags: '--node <id>', summary: 'this node alone' }, ...WHERE],
    example: 'onbook prefix run_0123456789abcdefghjkmnpq',
    load: async () => (await import('./questions/prefix.ts')).prefix,
  },
  {
    name: 'replay',
    arguments: ['[runs...]'],
    summary:
      'make a run again from its record, without a model, and name what comes out otherwise; of a run or of a run file; with --against, under a proposed workspace',
    options: [
      {
        flags: '--level <n>',
        summary: '1: fold its events; 2: also choose, compose and judge again; 3: walk it again as a fork (default: 2)',
      },
      { flags: '--against <workspace@version>', summary: 'say which prompts would change under this version, or under a folder: ./desk' },
      { flags: '--label <template@label=version...>', summary: 'as if this label were moved; alone or with --against' },
      { flags: '--activate <pack@version...>', summary: 'as if this version were active; alone or with --against' },
      { flags: '--all', summary: 'with --against, --label or --activate: every run on record' },
      { flags: '--workflow <id>', summary: 'of all runs, those of this workflow' },
      { flags: '--since <date>', summary: 'of all runs, those created since' },
      { flags: '--limit <n>', summary: 'of all runs, the newest so many' },
      { flags: '--workspace <name>', summary: 'which workspace a folder is a proposal for (default: the name of the folder)' },
      HOST_CONFIG,
      ...WHERE,
    ],
    example: 'onbook replay run_0123456789abcdefghjkmnpq',
    load: async () => (await import('./questions/replay.ts')).replay,
  },
  {
    name: 'diff',
    arguments: ['<a>', '[b]'],
    summary:
      'show what is different, decisions first and then the text: of two runs or run files, two steps, two templates, two files, two versions of a workspace',
    options: [
      { flags: '--node <id>', summary: 'of runs, this node alone' },
      { flags: '--steps <a..b>', summary: 'two steps of this node in one run: 1..2, or with their visits 1.2..2.1' },
      { flags: '--decisions', summary: 'leave out the texts' },
      ...WHERE,
    ],
    example: 'onbook diff run_0123456789abcdefghjkmnpq yesterday.jsonl',
    load: async () => (await import('./questions/diff.ts')).diff,
  },
]
