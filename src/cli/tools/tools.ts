// Folder: Commands about tools.
// onbook tool: lists the tools of the host and of MCP servers, and adopts them.
import { repoBindings } from '../../book/repo-bindings.ts'
import type { ToolOverview, ToolSummary, Tools } from '../../client/index.ts'
import type { Input } from '../commands.ts'
import { type BookUse, withBook } from '../host/open-book.ts'
import { columns } from '../report/columns.ts'
import { firstRows } from '../report/page.ts'
import { visible, visibleLines } from '../report/visible.ts'
import { printJson } from '../terminal.ts'

/** MCP servers may have to start first. */
const PATIENCE_MS = 120_000
/** An adoption needs no tools of the host, and so no repo. */
const ADOPTING = { record: 'made', tools: [] } as const

const withTools = (input: Input, use: BookUse, work: (tools: Tools) => Promise<number>): Promise<number> =>
  withBook(input, ({ book }) => work(book.tools), { ...use, patienceMs: PATIENCE_MS })

/** Exits with 1 when an adopted tool has changed, or a server does not answer. */
export const list = (input: Input): Promise<number> =>
  withTools(input, { record: 'optional', tools: repoBindings(input) }, async tools => {
    const found = await tools.list(typeof input.session === 'string' ? input.session : undefined)
    const rows = firstRows(found.tools, input)
    if (input.json) printJson({ ...found, tools: rows })
    else process.stdout.write(report(found, rows))
    const isAmiss = found.tools.some(({ state }) => state === 'changed' || state === 'missing')
    return isAmiss || found.servers.some(({ problem }) => problem !== null) ? 1 : 0
  })

/** Problems are printed for every tool. @param rows of the table */
function report({ tools, servers }: ToolOverview, rows: readonly ToolSummary[]): string {
  const changed = tools.filter(({ difference }) => difference !== undefined)
  const waiting = new Set(tools.filter(({ state }) => state === 'new' || state === 'changed').map(({ server }) => server))
  return [
    columns([['tool', 'from', 'state', 'granted', 'it says'], ...rows.map(rowOf)]),
    ...changed.map(({ name, difference = '' }) => `\n${visible(name)} is not what was adopted:\n${visibleLines(difference).join('\n')}\n`),
    ...servers.flatMap(({ problem }) => (problem === null ? [] : [`\n${visible(problem)}\n`])),
    ...servers.flatMap(({ server, leftOut }) => leftOut.map(what => `\n${server}: left out is ${visible(what)}.\n`)),
    ...[...waiting].map(server => `\nNobody has adopted all that ${server} lists: onbook tool adopt ${server} [tool…]\n`),
  ].join('')
}

const MOST_SAID = 60

const rowOf = ({ name, server, state, offered, adopted, description, ...granting }: ToolSummary): readonly string[] => [
  name,
  server ?? 'host',
  [state, ...(adopted?.reads === true ? ['reads'] : []), ...(offered ? ['offered'] : [])].join(', '),
  grantedText(granting),
  description.length > MOST_SAID ? `${description.slice(0, MOST_SAID - 1)}…` : description,
]

function grantedText({ granted, grantedToSome, approval }: Pick<ToolSummary, 'granted' | 'grantedToSome' | 'approval'>): string {
  if (granted) return approval ? 'with approval' : 'yes'
  return grantedToSome === true ? 'to some' : 'no'
}

const toolsIn = ({ tools }: Input): { readonly tools?: readonly string[] } =>
  Array.isArray(tools) && tools.length > 0 ? { tools: tools.map(String) } : {}

export const adopt = (input: Input): Promise<number> =>
  withTools(input, ADOPTING, async tools => {
    const expected = typeof input.descriptor === 'string' ? { descriptor: input.descriptor } : {}
    const reads = input.reads === true ? { reads: true } : {}
    const adopted = await tools.adopt({ server: String(input.server), ...toolsIn(input), ...expected, ...reads })
    if (input.json) printJson({ adopted })
    else if (adopted.length === 0) process.stdout.write('All of them were adopted already.\n')
    else
      for (const { name, descriptor, ...one } of adopted)
        process.stdout.write(`${name} is adopted, as ${descriptor}${one.reads ? ', as one that only reads' : ''}.\n`)
    return 0
  })

export const drop = (input: Input): Promise<number> =>
  withTools(input, ADOPTING, async tools => {
    const dropped = await tools.drop({ server: String(input.server), ...toolsIn(input) })
    if (input.json) printJson({ dropped })
    else if (dropped.length === 0) process.stdout.write('No tool of it was adopted.\n')
    else for (const { name } of dropped) process.stdout.write(`${name} is bound no longer.\n`)
    return 0
  })
