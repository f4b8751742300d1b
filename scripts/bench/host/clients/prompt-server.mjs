// @ts-check
// A server that has one prompt under one label, as two clients ask for it: ours, and Langfuse's. It counts, waits a little, and can go away.
import { once } from 'node:events'
import { createServer } from 'node:http'

/** What a request takes on the way, so that a thousand at once are a thousand at once. */
const DELAY_MS = 5

/** @typedef {{ version: number | null }} Label where it points; null when it was deleted */

/** @typedef {{ readonly url: string, readonly label: Label, readonly requests: () => number, readonly stop: () => Promise<void> }} PromptServer */

/** @returns {Promise<PromptServer>} */
export async function promptServer() {
  /** @type {Label} */
  const label = { version: 1 }
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    setTimeout(() => {
      const found = answerTo(new URL(request.url ?? '', 'http://host'), label)
      response.writeHead(found === null ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(found ?? { error: 'prompt_template_not_found', message: 'Not found.' }))
    }, DELAY_MS)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    label,
    requests: () => requests,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** @param {URL} url @param {Label} label */
function answerTo({ pathname, searchParams }, { version }) {
  if (pathname === '/v1/labels/writer') return { labels: version === null ? [] : [{ label: 'production', version: `${version}.0.0` }] }
  if (pathname === '/v1/prompts/writer')
    return { templateId: 'writer', version: searchParams.get('version'), kind: 'system', text: 'Write about {{topic}}.' }
  if (pathname !== '/api/public/v2/prompts/writer' || version === null) return null
  const labels = ['production']
  return { name: 'writer', version, type: 'text', prompt: 'Write about {{topic}}.', config: {}, labels, tags: [], commitMessage: null }
}
