// Tools of a host: what it has, and which of those that other servers list were adopted.
import type { AdoptedTool, AdoptToolsRequest, DroppedTool, DropToolsRequest, ToolOverview } from '../../wire/onbook/tools.ts'
import { answerWith, listIn } from '../shapes.ts'
import type { CallOptions, Transport } from '../transport.ts'

export interface Tools {
  /** `session`: whose grants are meant. */
  list(session?: string, options?: CallOptions): Promise<ToolOverview>
  /** Those that were not adopted as they are. */
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
