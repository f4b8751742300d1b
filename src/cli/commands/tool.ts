// Commands about tools.
import type { Command } from '../commands.ts'
import { HOST_CONFIG, LIMIT, POLICY, REPO, WHERE } from './options.ts'

const tools = () => import('../tools/tools.ts')

export const TOOL_COMMANDS: readonly Command[] = [
  {
    name: 'tool list',
    aliases: ['tools'],
    arguments: [],
    summary: 'list the tools of the host and its MCP servers',
    options: [{ flags: '--session <name>', summary: 'session whose grants are shown' }, LIMIT, REPO, POLICY, HOST_CONFIG, ...WHERE],
    example: 'onbook tool list --json',
    load: async () => (await tools()).list,
  },
  {
    name: 'tool adopt',
    aliases: ['tools adopt'],
    arguments: ['<server>', '[tools...]'],
    summary: 'adopt tools of an MCP server as they are now',
    options: [
      { flags: '--descriptor <digest>', summary: 'digest that the tool must still have' },
      { flags: '--reads', summary: 'confirm that the tools only read, so that planning may use them' },
      HOST_CONFIG,
      ...WHERE,
    ],
    example: 'onbook tool adopt archive search',
    load: async () => (await tools()).adopt,
  },
  {
    name: 'tool drop',
    aliases: ['tools drop'],
    arguments: ['<server>', '[tools...]'],
    summary: 'drop adopted tools of an MCP server',
    options: [HOST_CONFIG, ...WHERE],
    example: 'onbook tool drop archive',
    load: async () => (await tools()).drop,
  },
]
