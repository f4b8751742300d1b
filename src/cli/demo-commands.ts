// The demo.
import type { Command } from './commands.ts'
import { JSON_OPTION } from './options.ts'

export const DEMO_COMMANDS: readonly Command[] = [
  {
    name: 'demo',
    arguments: ['[story]'],
    summary: 'run a newsroom of three agents and serve it; with a story, show one: override, publish, apply, tool, attack, replay, tamper',
    options: [
      { flags: '--data <dir>', summary: 'the folder of its record (default: onbook-demo/.onbook)' },
      { flags: '--port <n>', summary: 'where its host listens (default: any free one)' },
      { flags: '--no-serve', summary: 'show the run, and end' },
      JSON_OPTION,
    ],
    example: 'onbook demo override',
    load: async () => (await import('./demo/demo.ts')).demo,
  },
]
