// Folder: Opens a record in this process as a book: settings, models, tools and policy composed into a host without a socket.
// A book whose host is in this process: on the record of a folder, or in memory.
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore } from '../adapters/memory-store/memory-store.ts'
import type { OnbookOptions, TestBookOptions } from '../book.ts'
import type { ClientOptions } from '../client/index.ts'
import { PRODUCT_PROJECTIONS } from '../engine/record/projections.ts'
import type { Store } from '../ports.ts'
import { hostConfigOf } from './host-config.ts'
import { embeddedAccess } from './in-process-fetch.ts'
import { type LocalHost, openLocalHost } from './local-host.ts'
import { openProductStore } from './product-store.ts'
import { actorOf, clock, keyringOf } from './record-folder.ts'
import { livingHost } from './running-host.ts'
import type { Settings } from './settings.ts'
import { startUpkeep } from './upkeep.ts'

/** How a client reaches the host, and how the host ends. */
export interface Embedded {
  readonly client: ClientOptions & { readonly fetch: typeof globalThis.fetch }
  close(): Promise<void>
}

/** Runs that an earlier process left open go on, unless another host works on the folder. */
export async function embedFolder(options: OnbookOptions): Promise<Embedded> {
  const settings = settingsOf(options)
  const store = openProductStore(settings)
  try {
    const { host, client } = await embed(store, settings, options)
    const upkeep = startUpkeep(store, keyringOf(settings), (facts, message) => host.app.log.error(facts, message))
    if (livingHost(settings) === null) {
      await host.sessions.runs.resume()
      await host.sessions.forks.resume()
    }
    const close = async (): Promise<void> => {
      await host.close()
      await upkeep.stop()
      await store.close()
    }
    return { client, close }
  } catch (error) {
    await store.close()
    throw error
  }
}

export async function embedMemory(options: TestBookOptions): Promise<Embedded> {
  const settings = { ...settingsOf(options), data: join(tmpdir(), `onbook-test-${randomUUID()}`) }
  const store = memoryStore(clock, PRODUCT_PROJECTIONS)
  const { host, client } = await embed(store, settings, options)
  const close = async (): Promise<void> => {
    await host.close()
    await store.close()
  }
  return { client, close }
}

async function embed(
  store: Store,
  settings: Settings,
  { tools = [], models, actor = actorOf(), tenant = 'default' }: OnbookOptions,
): Promise<Pick<Embedded, 'client'> & { readonly host: LocalHost }> {
  const access = embeddedAccess(actor, tenant)
  const given = models === undefined ? {} : { models }
  const host = await openLocalHost(store, settings, { config: hostConfigOf(settings), actor, tools, ...access.host, ...given })
  return { host, client: access.client(host.app) }
}

function settingsOf({ model, data, policy, config, repo, script }: OnbookOptions): Settings {
  const [provider = '', ...name] = model?.split('/') ?? []
  const files = Object.entries({ data, policy, config, repo, script }).filter(([, file]) => file !== undefined)
  return { ...Object.fromEntries(files), ...(model === undefined ? {} : { provider, model: name.join('/') }) }
}
