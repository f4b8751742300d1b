// Lists tools of a host, and adopts or drops tools of MCP servers.
import type { AdoptedTool, AdoptToolsRequest, DroppedTool, DropToolsRequest, ToolOverview } from '../../wire/onbook/tools.ts'
import { answerWith, listIn } from '../shapes.ts'
import type { CallOptions, Transport } from '../transport.ts'

export interface Tools {
  /** `session`: show the grants of this session. */
  list(session?: string, options?: CallOptions): Promise<ToolOverview>
  /** Returns the tools that were not adopted before in their present form. */
  adopt(request: AdoptToolsRequest, options?: CallOptions): Promise<readonly AdoptedTool[]>
  drop(request: DropToolsRequest, options?: CallOptions): Promise<readonly DroppedTool[]>
}

export function createTools(transport: Transport): Tools {
  const write = async (verb: string, body: unknown, options: CallOptions) =>
    (await transport.ask({ method: 'POST', path: `/v1/tools:${verb}`, body, ...options })).body
  return {
    async list(session, options = {}) {
      const query = session === undefined ? '' : `?session=${encodeURIComponent(session)}`
      const { body } = await transport.ask({ method: 'GET', path: `/v1/tools${query}`, ...options })
      return answerWith(body, 'tools') as ToolOverview
    },
    adopt: async (request, options = {}) => listIn(await write('adopt', request, options), 'adopted') as readonly AdoptedTool[],
    drop: async (request, options = {}) => listIn(await write('drop', request, options), 'dropped') as readonly DroppedTool[],
  }
}
