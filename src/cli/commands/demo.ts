// The demo command.
import type { Command } from '../commands.ts'
import { JSON_OPTION } from './options.ts'

export const DEMO_COMMANDS: readonly Command[] = [
  {
    name: 'demo',
    arguments: ['[story]'],
    summary: 'run a sample newsroom of three agents, or one story about it',
    options: [
      { flags: '--data <dir>', summary: 'folder of the record (default: onbook-demo/.onbook)' },
      { flags: '--port <n>', summary: 'port of the host (default: any free port)' },
      { flags: '--no-serve', summary: 'end after the run, without a host' },
      JSON_OPTION,
    ],
    example: 'onbook demo override',
    load: async () => (await import('../demo/demo.ts')).demo,
  },
]
