// Where the commands about sessions do their asking: on the record at rest, or through a host. Both answer alike.
import type { ServerEvent } from '../../client/event-stream.ts'
import { type Client, createClient, type Sessions } from '../../client/index.ts'
import type { AosSessionEvent } from '../../wire/aos/to-event.ts'
import type { Input } from '../commands.ts'
import { eventPages, hostAnswer } from '../host/host-pages.ts'
import { hostFor, type WhichHost, workAt } from '../host/which-host.ts'
import type { WatchedRuns } from '../runs/desk.ts'

/** An event as it was recorded, as far as it is shown. */
export interface ShownEvent {
  readonly seq: number
  readonly type: string
  readonly at: string
  readonly actor: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface Desk extends Omit<Sessions, 'events'> {
  /** Oldest first, and then every new one until the signal aborts; without a signal, those there are. */
  events(session: string, options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterable<ShownEvent>
  /** The runs that work in sessions. */
  readonly runs: WatchedRuns
  /** The same for the session and the runs that worked in it, in AgentOS's names. */
  aosEvents(session: string, signal?: AbortSignal): AsyncIterable<AosSessionEvent>
  /** Stored; its name. */
  put(bytes: Uint8Array): Promise<string>
  /** Of a workspace; null when it is not there. */
  file(workspace: string, version: number | undefined, path: string): Promise<Uint8Array | null>
  /** Whether what is asked for goes on when the command has ended. */
  readonly lasts: boolean
  /** Goes on with what somebody has left. A host has done so when it started. */
  takeUp(session: string): Promise<void>
  /** Nothing that was asked for here is under way any more. */
  quiet(session: string): Promise<void>
  close(): Promise<void>
}

/** What a command may do to a folder that no host runs on. */
export interface DeskUse {
  /** There may be no record yet. */
  readonly makes?: boolean
  /** The policy decides about something: what it is goes on record. */
  readonly judges?: boolean
}

/** Through the host that is named, or that runs on the folder; else on the folder itself. */
export async function withDesk(input: Input, work: (desk: Desk) => Promise<number>, use: DeskUse = {}): Promise<number> {
  return workAt(await openDesk(input, use), input, work)
}

async function openDesk(input: Input, use: DeskUse): Promise<Desk> {
  const host = await hostFor(input)
  if (host === null) return (await import('./at-rest.ts')).deskAtRest(input, use)
  return throughHost(host, (await import('../runs/through-host.ts')).runDeskThrough(host))
}

function throughHost(host: WhichHost, runs: WatchedRuns): Desk {
  const client: Client = createClient(host)
  const { events: follow, ...sessions } = client.sessions
  return {
    ...sessions,
    async *events(session, { after = -1, signal } = {}) {
      if (signal === undefined) return yield* eventPages<ShownEvent>(host, eventsPath(session), after)
      try {
        for await (const event of follow(session, { after: String(after), signal })) if (event.type !== 'delta') yield eventIn(event)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
    runs,
    async *aosEvents(session, signal) {
      if (signal === undefined) return yield* eventPages<AosSessionEvent>(host, eventsPath(session), -1, '&dialect=aos')
      try {
        for await (const { data } of client.events(`${eventsPath(session)}?dialect=aos`, { signal }))
          yield JSON.parse(data) as AosSessionEvent
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
    put: async bytes => (await client.objects.put(bytes)).digest,
    async file(workspace, version, path) {
      const query = version === undefined ? '' : `?version=${version}`
      const answer = await hostAnswer(host, `/v1/workspaces/${encodeURIComponent(workspace)}/files/${path}${query}`)
      return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null
    },
    lasts: true,
    takeUp: async () => {},
    quiet: async () => {},
    close: async () => {},
  }
}

const eventsPath = (session: string): string => `/v1/sessions/${encodeURIComponent(session)}/events`

const eventIn = ({ data }: ServerEvent): ShownEvent => JSON.parse(data) as ShownEvent
