// @ts-check
// Agents that work on a repo: the host binds four tools, the policy grants three, and one call is refused.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onbook } from 'onbook'

const here = dirname(fileURLToPath(import.meta.url))
const [repo = 'repo', data = '.onbook'] = process.argv.slice(2)
mkdirSync(join(repo, 'src'), { recursive: true })
writeFileSync(join(repo, 'src/greet.js'), "console.log('Hello')\n")

const files = { script: join(here, 'repo/script.yaml'), policy: join(here, 'repo/policy.yaml'), config: join(here, 'repo/host.yaml') }
const book = await onbook({ data, repo, model: 'scripted/small', actor: 'app', ...files })
await book.workflows.put({ id: 'greeting', objective: 'Greet the world.', nodes: [{ id: 'coder', role: 'implementer' }] })
const { runId } = await book.runs.create({ workflowId: 'greeting' })
await book.runs.waitFor(runId)
for await (const { type, data: text } of book.runs.events(runId, { modes: ['onbook'] })) {
  if (type !== 'onbook.call.judged') continue
  const { tool, verdict } = JSON.parse(text).payload
  const failed = verdict.conditions.find((/** @type {{ outcome: string }} */ one) => one.outcome === 'failed')
  console.log(`${tool}: ${verdict.decision}${failed === undefined ? '' : `, because ${failed.reason}`}`)
}
console.log(`Look at it with: onbook show ${runId}`)
await book.close()
