// Tools of other servers: their names here, their pinned content, and the comparison of listed with adopted tools.
// Adopting a tool binds it; it grants nothing.
import { canonicalJson, type Digest, digestText, type Json } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import type { EventDraft } from '../record/event.ts'
import { textDiff } from '../schema/compare-json.ts'

/** One stream for the host, under its own tenant. */
export const TOOLS = 'host/tools'

/** No two underscores in a row, and none at the end: so one name never means two tools. */
export const SERVER_NAME = '^[a-z][a-z0-9]*([-_][a-z0-9]+)*$'
const MOST_NAME = 64
const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/

/** The description of a tool by its server, on which a person or a model judges it. */
export interface ForeignTool {
  /** As its server calls it. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly annotations?: JsonObject
}

/** The stored content of a tool, named by its digest. */
export const pinnedText = ({ name, description, inputSchema, annotations }: ForeignTool): string =>
  canonicalJson({ name, description, inputSchema, ...(annotations === undefined ? {} : { annotations }) })

export const pinOf = (tool: ForeignTool): Digest => digestText(pinnedText(tool))

/** The name for the model; null when no name results that every provider accepts. */
export function foreignName(server: string, tool: string): string | null {
  const name = `${server}__${tool}`
  return name.length <= MOST_NAME && NAME.test(name) ? name : null
}

/** The server of a tool with such a name; null for a name that cannot belong to a server. */
export const serverIn = (name: string): string | null => (name.includes('__') ? name.slice(0, name.indexOf('__')) : null)

export interface Adoption {
  readonly server: string
  readonly tool: string
  readonly descriptor: Digest
  readonly by: string
  readonly at: string
  /** A person confirmed, when adopting it, that the tool only reads, as it claims. */
  readonly reads?: true
}

/** Whether the tool claims to change nothing. A hint: it counts once a person has confirmed it. */
export const hintsReading = ({ annotations }: ForeignTool): boolean => annotations?.readOnlyHint === true

/** By the names that models call them. */
export type Adoptions = ReadonlyMap<string, Adoption>

export interface AdoptedTool {
  readonly server: string
  readonly tool: string
  readonly descriptor: Digest
  readonly before: Digest | null
  readonly reads?: true
}

export const adoptedDraft = (adopted: AdoptedTool, actor: string): EventDraft => ({
  type: 'tool.adopted',
  actor,
  payload: adopted as unknown as Json,
})

export const droppedDraft = ({ server, tool, descriptor }: Adoption, actor: string): EventDraft => ({
  type: 'tool.dropped',
  actor,
  payload: { server, tool, descriptor },
})

export interface ToolEvent {
  readonly type: string
  readonly actor: string
  readonly at: string
  readonly payload: Json
}

export function reduceAdoptions(adoptions: Adoptions, { type, actor, at, payload }: ToolEvent): Adoptions {
  if (type !== 'tool.adopted' && type !== 'tool.dropped') return adoptions
  const { server, tool, descriptor, reads } = payload as unknown as Pick<Adoption, 'server' | 'tool' | 'descriptor' | 'reads'>
  const name = foreignName(server, tool)
  if (name === null) return adoptions
  const next = new Map(adoptions)
  if (type === 'tool.dropped') next.delete(name)
  else next.set(name, { server, tool, descriptor, by: actor, at, ...(reads === true ? { reads } : {}) })
  return next
}

/** `missing`: adopted, and no longer listed. */
export type ForeignState = 'adopted' | 'new' | 'changed' | 'missing'

export interface StandingTool {
  readonly name: string
  readonly server: string
  readonly tool: string
  readonly state: ForeignState
  readonly listed: ForeignTool | null
  readonly adoption: Adoption | null
}

/** @param listed the tools that the server lists now; null when unknown: then the adopted tools remain valid */
export function standingTools(server: string, listed: readonly ForeignTool[] | null, adoptions: Adoptions): readonly StandingTool[] {
  const own = [...adoptions].filter(([, adoption]) => adoption.server === server)
  const byName = new Map((listed ?? []).flatMap(tool => namedTool(server, tool)))
  const gone = own.filter(([name]) => !byName.has(name))
  return [
    ...[...byName].map(([name, tool]): StandingTool => {
      const adoption = adoptions.get(name) ?? null
      return { name, server, tool: tool.name, state: stateOf(tool, adoption), listed: tool, adoption }
    }),
    ...gone.map(([name, adoption]): StandingTool => {
      return { name, server, tool: adoption.tool, state: listed === null ? 'adopted' : 'missing', listed: null, adoption }
    }),
  ].sort((one, other) => (one.name < other.name ? -1 : 1))
}

function namedTool(server: string, tool: ForeignTool): readonly (readonly [string, ForeignTool])[] {
  const name = foreignName(server, tool.name)
  return name === null ? [] : [[name, tool]]
}

const stateOf = (tool: ForeignTool, adoption: Adoption | null): ForeignState => {
  if (adoption === null) return 'new'
  return adoption.descriptor === pinOf(tool) ? 'adopted' : 'changed'
}

/** The difference that a person reads before adopting the new version. */
export const differenceOf = (adopted: ForeignTool, listed: ForeignTool): string =>
  textDiff(adopted as unknown as Json, listed as unknown as Json)
    .replace('--- expected', '--- adopted')
    .replace('+++ actual', '+++ listed')
