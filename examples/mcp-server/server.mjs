// A small MCP server over stdio: an archive of articles that agents can search and read. Its articles, and what it says about itself, are
// in archive.json in the folder it is started in.
// @ts-check
import { readFileSync } from 'node:fs'
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

/** @type {{ about: string, articles: { id: string, title: string, text: string }[] }} */
const { about, articles } = JSON.parse(readFileSync('archive.json', 'utf8'))

/** @param {string} name */
const oneText = name =>
  /** @type {ReturnType<typeof fromJsonSchema<Record<string, string>>>} */ (
    fromJsonSchema({ type: 'object', properties: { [name]: { type: 'string' } }, required: [name], additionalProperties: false })
  )

serveStdio(() => {
  const server = new McpServer({ name: 'archive', version: '1.0.0' })

  server.registerTool(
    'search',
    { description: `Find articles by a word. ${about}`, inputSchema: oneText('word'), annotations: { readOnlyHint: true } },
    ({ word = '' }) => {
      const wanted = word.toLowerCase()
      const found = articles.filter(({ title, text }) => `${title} ${text}`.toLowerCase().includes(wanted))
      const hits = found.map(({ id, title }) => ({ id, title }))
      return { content: [{ type: 'text', text: JSON.stringify({ hits }) }], structuredContent: { hits } }
    },
  )

  server.registerTool(
    'read',
    { description: 'Read one article by its id.', inputSchema: oneText('id'), annotations: { readOnlyHint: true } },
    ({ id }) => {
      const article = articles.find(one => one.id === id)
      if (article === undefined) return { content: [{ type: 'text', text: `there is no article ${id}` }], isError: true }
      return { content: [{ type: 'text', text: `${article.title}\n\n${article.text}` }] }
    },
  )

  return server
})
