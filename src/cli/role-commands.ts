// The commands around roles.
import type { Command } from './commands.ts'
import { JSON_OPTION, REPO } from './options.ts'

const roles = () => import('./roles.ts')

export const ROLE_COMMANDS: readonly Command[] = [
  {
    name: 'roles',
    arguments: [],
    summary: 'list the roles that runs can use: those of the repo, and those that ship',
    options: [REPO, JSON_OPTION],
    example: 'onbook roles',
    load: async () => (await roles()).list,
  },
  {
    name: 'roles show',
    arguments: ['<name>'],
    summary: 'print what a role says to the model',
    options: [{ flags: '--raw', summary: 'the whole file, with its head' }, REPO, JSON_OPTION],
    example: 'onbook roles show reviewer --raw',
    load: async () => (await roles()).show,
  },
  {
    name: 'roles init',
    arguments: ['<name>'],
    summary: 'write docs/templates/<name>.md, from the shipped role of that name or as a beginning',
    options: [REPO, JSON_OPTION],
    example: 'onbook roles init reviewer',
    load: async () => (await roles()).init,
  },
]
