// The commands around tools.
import type { Command } from './commands.ts'
import { HOST_CONFIG, LIMIT, POLICY, REPO, WHERE } from './options.ts'

const tools = () => import('./tools/tools.ts')

export const TOOL_COMMANDS: readonly Command[] = [
  {
    name: 'tools',
    arguments: [],
    summary: 'list the tools of the host and of its MCP servers: which are bound, adopted, new or changed',
    options: [{ flags: '--session <name>', summary: 'whose grants are meant' }, LIMIT, REPO, POLICY, HOST_CONFIG, ...WHERE],
    example: 'onbook tools --json',
    load: async () => (await tools()).list,
  },
  {
    name: 'tools adopt',
    arguments: ['<server>', '[tools...]'],
    summary: 'bind tools of an MCP server as they are listed now: all, or those that are named',
    options: [
      { flags: '--descriptor <digest>', summary: 'only if the tool is still this' },
      { flags: '--reads', summary: 'confirm that the tools only read, as they say: they may then be used in planning' },
      HOST_CONFIG,
      ...WHERE,
    ],
    example: 'onbook tools adopt archive search',
    load: async () => (await tools()).adopt,
  },
  {
    name: 'tools drop',
    arguments: ['<server>', '[tools...]'],
    summary: 'take back what was adopted of an MCP server: all, or those that are named',
    options: [HOST_CONFIG, ...WHERE],
    example: 'onbook tools drop archive',
    load: async () => (await tools()).drop,
  },
]
