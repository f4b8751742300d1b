// Commands about versioned workspaces. `onbook publish --workspace` creates the versions.
import type { Command } from '../commands.ts'
import { LIMIT, RECORD_WHERE } from './options.ts'

export const WORKSPACE_COMMANDS: readonly Command[] = [
  {
    name: 'workspace list',
    arguments: [],
    summary: 'list workspaces',
    options: [LIMIT, ...RECORD_WHERE],
    example: 'onbook workspace list',
    load: async () => (await import('../workspace/show.ts')).list,
  },
  {
    name: 'workspace log',
    arguments: ['<name>'],
    summary: 'list the versions of a workspace, latest first',
    options: [LIMIT, ...RECORD_WHERE],
    example: 'onbook workspace log writer',
    load: async () => (await import('../workspace/show.ts')).log,
  },
  {
    name: 'workspace diff',
    arguments: ['<name>', '[from]', '[to]'],
    summary: 'show which files differ between two versions',
    options: [{ flags: '--path <path>', summary: 'only this path and below' }, ...RECORD_WHERE],
    example: 'onbook workspace diff writer 1 3',
    load: async () => (await import('../workspace/show.ts')).diff,
  },
  {
    name: 'workspace show',
    arguments: ['<name>', '[path]'],
    summary: 'list the files of a version, or print one',
    options: [{ flags: '--checks', summary: 'print the lint and test results of these files' }, LIMIT, ...RECORD_WHERE],
    example: 'onbook workspace show writer@2 prompts/packs/default.json',
    load: async () => (await import('../workspace/show.ts')).show,
  },
  {
    name: 'workspace check',
    arguments: ['<name>'],
    summary: 'lint and test a recorded version, and record the result',
    options: [...RECORD_WHERE],
    example: 'onbook workspace check writer@2',
    load: async () => (await import('../workspace/checks.ts')).check,
  },
  {
    name: 'workspace checkout',
    arguments: ['<name>', '<dir>'],
    summary: 'write the files of a version into an empty folder',
    options: [{ flags: '--force', summary: 'write into a folder that is not empty, and replace its files' }, ...RECORD_WHERE],
    example: 'onbook workspace checkout writer@2 writer-2',
    load: async () => (await import('../workspace/checkout.ts')).checkout,
  },
]
