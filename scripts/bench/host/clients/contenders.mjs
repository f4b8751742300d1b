// @ts-check
// The same question to both clients: which version has the label `production`, and is that known to be so?
import { createClient } from '../../../../dist/client/index.js'

/** What a client said, in one shape. @typedef {{ readonly version: number, readonly stale: boolean | null }} Said stale: null when it does not say */
/** @typedef {{ readonly name: string, readonly make: (url: string) => () => Promise<Said> }} Contender */

/** So long both may answer from memory. */
export const TTL_MS = 1_000

/** @param {string} name @param {{ staleIfErrorMs?: number }} more @returns {Contender} */
const ours = (name, more) => ({
  name,
  make: url => {
    const client = createClient({ url, key: 'none' })
    return async () => {
      const { template, freshness } = await client.prompts.get('prompt:writer@production', { maxAgeMs: TTL_MS, ...more })
      return { version: Number.parseInt(template.version, 10), stale: freshness.stale }
    }
  },
})

/** @param {NodeRequire} load @returns {readonly Contender[]} */
export function contenders(load) {
  const { LangfuseClient } = load('@langfuse/client')
  return [
    ours('onbook/client', {}),
    ours('onbook/client, may be stale', { staleIfErrorMs: 60_000 }),
    {
      name: '@langfuse/client',
      make: url => {
        const client = new LangfuseClient({ baseUrl: url, publicKey: 'pk', secretKey: 'sk' })
        return async () => {
          const { version } = await client.prompt.get('writer', { label: 'production', cacheTtlSeconds: TTL_MS / 1000 })
          return { version, stale: null }
        }
      },
    },
  ]
}
