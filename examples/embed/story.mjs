// @ts-check
// An agent inside an application: publish a workspace, adopt a version of it, talk to the agent, and see when a change reaches it.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onbook } from 'onbook'

const here = dirname(fileURLToPath(import.meta.url))
const settings = { model: 'scripted/script', script: join(here, 'script.yaml'), policy: join(here, 'policy.yaml') }
const book = await onbook({ data: process.argv[2] ?? '.onbook', actor: 'app', ...settings })

const files = readdirSync(join(here, 'desk'), { recursive: true, encoding: 'utf8' }).filter(path => path.includes('.'))
await publish(files.map(path => ({ path, text: readFileSync(join(here, 'desk', path), 'utf8') })))
await book.sessions.create({ session: 'editor', config: { workspace: { name: 'desk' }, prelude: 'default', catalog: 'default' } })
await adopt()
await say('What is our style?')
await publish([{ path: 'prompts/templates/persona.md', text: 'You are the day editor of {{outlet}}. Answer in one sentence.\n' }])
await say('And now?')
await adopt()
await say('And after that?')
await book.close()

async function publish(/** @type {{ path: string, text: string }[]} */ changes) {
  console.log(`Published desk, version ${(await book.workspaces.commit('desk', { changes })).version}.`)
}
async function adopt() {
  await book.sessions.sync('editor')
  const { outcome } = await book.sessions.apply('editor', 'immediate_if_idle')
  console.log(`Synced and ${outcome}: version ${(await book.sessions.get('editor')).workspace.active?.version} is active.`)
}
async function say(/** @type {string} */ text) {
  console.log(`> ${text}\n< ${(await book.say('editor', text)).text}`)
}
