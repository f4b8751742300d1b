// The mcpServers section of onbook.host.yaml: MCP servers that provide tools. Defines the format; starts and adopts nothing.
import { Type } from 'typebox'
import type { Json } from '../../core/digest/digest.ts'
import { isObject } from '../../core/digest/is-object.ts'
import { SERVER_NAME } from '../../core/tools/foreign-tools.ts'
import type { Complaint } from './settings-file.ts'

const number = (description: string, maximum: number) => Type.Optional(Type.Integer({ minimum: 1, maximum, description }))
const names = (pattern: string, description: string) => Type.Optional(Type.Array(Type.String({ pattern }), { maxItems: 200, description }))
const MOST_MS = 2_147_483_647
const MEGABYTE = 1024 * 1024
const MOST_NAME = 32

const server = Type.Object(
  {
    command: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096, description: 'The program. No shell reads it.' })),
    args: Type.Optional(Type.Array(Type.String({ maxLength: 10_000 }), { maxItems: 200, description: 'What follows it, word by word.' })),
    env: names('^[A-Za-z_][A-Za-z0-9_]{0,127}$', 'Names of variables it is given besides PATH, HOME, LANG, LC_*, TERM and TMPDIR.'),
    cwd: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096, description: 'The folder it works in; here, unless it is said.' })),
    url: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        maxLength: 2_000,
        description: 'Instead of a command: where it is, by Streamable HTTP.',
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' }), Type.String({ minLength: 1, maxLength: 200 }), {
        additionalProperties: false,
        maxProperties: 100,
        description: 'Headers it is sent, each with the id of the secret that is its value.',
      }),
    ),
    tenants: names('^.{1,200}$', 'Whose sessions may use it. It runs as the user of the host: "default" alone unless others are named.'),
    adopters: names('^.{1,200}$', 'Whose keys may adopt from it, for everybody who may use it: "default" alone unless others are named.'),
    connectMs: number('To connect, and to list its tools: ten seconds unless it is said. In milliseconds.', MOST_MS),
    callMs: number('For one call: a minute unless it is said. In milliseconds.', MOST_MS),
    maxTools: number('What it may list; the rest is left out: 200 unless it is said.', 10_000),
    maxDescriptorBytes: number('What it may say of one tool: 32 KiB unless it is said.', MEGABYTE),
    maxAnswerBytes: number('Of one message: 4 MiB unless it is said.', 64 * MEGABYTE),
  },
  { additionalProperties: false },
)

export const mcpServersFormat = Type.Record(Type.String({ pattern: SERVER_NAME, maxLength: MOST_NAME }), server, {
  additionalProperties: false,
  maxProperties: 100,
  description: 'MCP servers by name. Their tools are called <name>__<tool>, and none is bound before somebody adopts it.',
})

export type McpServers = Readonly<Type.Static<typeof mcpServersFormat>>

export function complaintsAboutServers(value: Json): readonly Complaint[] {
  const servers = isObject(value) && isObject(value.mcpServers) ? value.mcpServers : {}
  return Object.entries(servers).flatMap(([name, one]): Complaint[] => {
    const say = (message: string): Complaint[] => [{ pointer: ['mcpServers', name], key: true, message }]
    if (!isObject(one)) return []
    if (name.length > MOST_NAME) return say(`"${name}" is longer than ${MOST_NAME} characters`)
    if ((one.command === undefined) === (one.url === undefined)) return say(`"${name}" needs a command or a url, and not both`)
    if (one.url === undefined) return one.headers === undefined ? [] : say(`"${name}" is a command: it has no headers`)
    return URL.canParse(String(one.url)) ? [] : say(`"${name}" has an invalid url`)
  })
}
