// Commands about roles.
import type { Command } from '../commands.ts'
import { JSON_OPTION, REPO } from './options.ts'

const roles = () => import('../roles.ts')

export const ROLE_COMMANDS: readonly Command[] = [
  {
    name: 'role list',
    aliases: ['roles'],
    arguments: [],
    summary: 'list the roles of the repo and the shipped ones',
    options: [REPO, JSON_OPTION],
    example: 'onbook role list',
    load: async () => (await roles()).list,
  },
  {
    name: 'role show',
    aliases: ['roles show'],
    arguments: ['<name>'],
    summary: 'print the text of a role',
    options: [{ flags: '--raw', summary: 'print the whole file, with its head' }, REPO, JSON_OPTION],
    example: 'onbook role show reviewer --raw',
    load: async () => (await roles()).show,
  },
  {
    name: 'role init',
    aliases: ['roles init'],
    arguments: ['<name>'],
    summary: 'write docs/templates/<name>.md from a shipped role or a sample',
    options: [REPO, JSON_OPTION],
    example: 'onbook role init reviewer',
    load: async () => (await roles()).init,
  },
]
