// Commands that ask questions about the record.
import type { Command } from '../commands.ts'
import { HOST_CONFIG, WHERE } from './options.ts'

export const QUESTION_COMMANDS: readonly Command[] = [
  {
    name: 'why',
    arguments: ['[run]'],
    summary: 'show which prompt a node used, and why',
    options: [
      { flags: '--edit <workflow>', summary: 'workflow file to explain without running it' },
      { flags: '--node <id>', summary: 'only this node' },
      { flags: '--kind <kind>', summary: 'only this kind: system, few-shot, user or schema-hint' },
      { flags: '--visit <n>', summary: 'visit of the node (default: the latest)' },
      HOST_CONFIG,
      ...WHERE,
    ],
    example: 'onbook why run_0123456789abcdefghjkmnpq --node writer --kind system',
    load: async () => (await import('../questions/why.ts')).why,
  },
  {
    name: 'blame',
    arguments: ['<run>'],
    summary: 'show who wrote each part of a prompt, and where',
    options: [
      { flags: '--node <id>', summary: 'node whose whole prompt is printed, line by line' },
      { flags: '--visit <n>', summary: 'visit of the node (default: the latest)' },
      { flags: '--step <n>', summary: 'step of the visit (default: the latest)' },
      ...WHERE,
    ],
    example: 'onbook blame run_0123456789abcdefghjkmnpq --node writer',
    load: async () => (await import('../questions/blame.ts')).blame,
  },
  {
    name: 'run prefix',
    aliases: ['prefix'],
    arguments: ['<run>'],
    summary: 'show how much of a prompt stays the same between steps',
    options: [{ flags: '--node <id>', summary: 'only this node' }, ...WHERE],
    example: 'onbook run prefix run_0123456789abcdefghjkmnpq',
    load: async () => (await import('../questions/prefix.ts')).prefix,
  },
  {
    name: 'replay',
    arguments: ['[runs...]'],
    summary: 'repeat recorded runs without a model, and list differences',
    options: [
      {
        flags: '--level <n>',
        summary: 'depth: 1 folds the events, 2 also resolves, composes and decides again, 3 repeats the run as a fork (default: 2)',
      },
      {
        flags: '--against <workspace@version>',
        summary: 'proposed workspace version, or folder such as ./desk, to list changed prompts for',
      },
      { flags: '--label <template@label=version...>', summary: 'proposed label move; alone or with --against' },
      { flags: '--activate <pack@version...>', summary: 'proposed active version; alone or with --against' },
      { flags: '--all', summary: 'every recorded run; with --against, --label or --activate' },
      { flags: '--workflow <id>', summary: 'with --all: only runs of this workflow' },
      { flags: '--since <date>', summary: 'with --all: only runs created since this date' },
      { flags: '--limit <n>', summary: 'with --all: number of latest runs' },
      { flags: '--workspace <name>', summary: 'workspace that the folder is a proposal for (default: the name of the folder)' },
      HOST_CONFIG,
      ...WHERE,
    ],
    example: 'onbook replay run_0123456789abcdefghjkmnpq',
    load: async () => (await import('../questions/replay.ts')).replay,
  },
  {
    name: 'diff',
    arguments: ['<a>', '[b]'],
    summary: 'compare two runs, steps, templates, files or workspace versions',
    options: [
      { flags: '--node <id>', summary: 'only this node of the runs' },
      { flags: '--steps <a..b>', summary: 'two steps of the node in one run: 1..2, or with visits 1.2..2.1' },
      { flags: '--decisions', summary: 'leave out the texts' },
      ...WHERE,
    ],
    example: 'onbook diff run_0123456789abcdefghjkmnpq yesterday.jsonl',
    load: async () => (await import('../questions/diff.ts')).diff,
  },
]
