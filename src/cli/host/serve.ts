// onbook serve: the host, until it is told to stop.
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SCOPES } from '../../core/access/keys.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { createKey } from '../../engine/access.ts'
import { publishConformance } from '../../engine/conformance.ts'
import { recordConfig } from '../../engine/record-config.ts'
import { keepSealing } from '../../engine/seal.ts'
import { Fault } from '../../errors.ts'
import { createHost } from '../../host/app.ts'
import { DEFAULT_CONFIG } from '../../host/config.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { actorOf, clock, folderOf, keyringOf, tenantOf } from '../record/open-record.ts'
import { numberOption } from '../terminal.ts'
import { hostConfigOf } from './host-config.ts'
import { openProductStore, randomness } from './product-store.ts'

const HOST = '127.0.0.1'
const DEFAULT_PORT = 4680
const SEAL_EVERY_MS = 60_000
/** How long requests that are under way may take after the host was told to stop. */
const DRAIN_MS = 8_000

export async function serve(input: Input): Promise<number> {
  const port = numberOption(input.port, '--port', DEFAULT_PORT, { least: 0, most: 65_535 })
  const config = hostConfigOf(input)
  const store = openProductStore(input)
  await recordConfig(store, actorOf(), config as unknown as JsonObject, DEFAULT_CONFIG as unknown as JsonObject)
  const testSeams = input.testSeams === true
  if (testSeams) await publishConformance(store, config.libraryId)
  const app = createHost({ store, clock, config, testSeams })
  const sealing = keepSealing(store, keyringOf(input), SEAL_EVERY_MS, error => app.log.error(error))
  try {
    const keyFile = await localKey(store, input)
    const url = await app.listen({ host: HOST, port }).catch((error: NodeJS.ErrnoException) => {
      throw new Fault('usage_invalid', {
        problem: error.code === 'EADDRINUSE' ? `port ${port} is taken; choose another with --port` : error.message,
      })
    })
    if (input.json) process.stdout.write(`${JSON.stringify({ url, pid: process.pid, loginUrl: null })}\n`)
    else process.stdout.write(`Onbook is at ${url}. A key for this machine is in ${keyFile}.\n`)
    await stopped()
    return 0
  } finally {
    const force = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS)
    await app.close()
    clearTimeout(force)
    await sealing.stop()
    await store.close()
  }
}

const stopped = (): Promise<void> =>
  new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })

/** A key for whoever can read the folder: made once, readable by its owner alone. */
async function localKey(store: Store, input: Input): Promise<string> {
  const path = join(folderOf(input), 'local.key')
  if (existsSync(path) && readFileSync(path, 'utf8').trim() !== '') return path
  const { key } = await createKey(store, randomness, { tenant: tenantOf(input), scopes: SCOPES, actor: 'onbook' })
  await writeFile(path, `${key}\n`, { mode: 0o600, flush: true })
  return path
}
