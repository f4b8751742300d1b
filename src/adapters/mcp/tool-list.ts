// Lists the tools of a server that could be adopted, page by page and within limits. Reports each tool that cannot be.
import type { Client } from '@modelcontextprotocol/client'
import type { Json } from '../../core/digest/digest.ts'
import { isSound } from '../../core/messages/content.ts'
import { type ForeignTool, foreignName, pinnedText } from '../../core/tools/foreign-tools.ts'
import type { ToolListing } from '../../ports.ts'
import type { McpServer } from './settings.ts'

type Tool = Awaited<ReturnType<Client['listTools']>>['tools'][number]
type Limits = Pick<McpServer, 'maxTools' | 'maxDescriptorBytes'>

/** One that never comes to an end is not followed. */
const MOST_PAGES = 100
/** The most problems that are reported for a list. */
const MOST_SAID = 20

/** `page`: one of them, by what the one before gave to go on with. */
export async function listedTools(
  server: string,
  limits: Limits,
  page: (cursor: string | undefined) => ReturnType<Client['listTools']>,
): Promise<ToolListing> {
  const tools = new Map<string, ForeignTool>()
  const leftOut: string[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const { tools: found, nextCursor } = await page(cursor)
    for (const tool of found) {
      if (tools.size === limits.maxTools) return { tools: [...tools.values()], leftOut: said(leftOut, `all after the first ${tools.size}`) }
      const problem = tools.has(tool.name) ? 'it is listed twice' : problemWith(server, tool, limits)
      if (problem === null) tools.set(tool.name, toForeign(tool))
      else leftOut.push(`${JSON.stringify(tool.name.slice(0, 100))}: ${problem}`)
    }
    if (nextCursor === undefined) return { tools: [...tools.values()], leftOut: said(leftOut) }
    cursor = nextCursor
  }
  return { tools: [...tools.values()], leftOut: said(leftOut, `all after page ${MOST_PAGES}`) }
}

function said(leftOut: readonly string[], ...more: readonly string[]): readonly string[] {
  const rest = leftOut.length - MOST_SAID
  return [...leftOut.slice(0, MOST_SAID), ...(rest > 0 ? [`${rest} more`] : []), ...more]
}

function problemWith(server: string, tool: Tool, { maxDescriptorBytes }: Limits): string | null {
  if (foreignName(server, tool.name) === null) return `${server}__ and its name are not a name of at most 64 letters, digits, _ and -`
  const foreign = toForeign(tool)
  if (!isSound(foreign as unknown as Json)) return 'what it says of itself is too deep, or no JSON that could be kept'
  const bytes = Buffer.byteLength(pinnedText(foreign))
  return bytes > maxDescriptorBytes ? `it says ${bytes} bytes of itself, and may say ${maxDescriptorBytes}` : null
}

const toForeign = ({ name, description = '', inputSchema, annotations }: Tool): ForeignTool => ({
  name,
  description,
  inputSchema: inputSchema as unknown as ForeignTool['inputSchema'],
  ...(annotations === undefined ? {} : { annotations: annotations as unknown as NonNullable<ForeignTool['annotations']> }),
})
