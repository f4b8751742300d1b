// @ts-check
// Adds a line to a file of a repo, and tells what changed, again and again, until it is killed; a dot for every time. From dist: it runs without a test runner.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repoWatch } from '../../../dist/adapters/repo-watch/repo-watch.js'

const [root = '', folder = '', told = ''] = process.argv.slice(2)
// When whoever started it is gone.
process.stdin.on('end', () => process.exit()).resume()

const story = join(root, 'story')
const watch = await repoWatch(root, folder)
if (watch === null) throw new Error('there is no git')
const tell = async () => {
  const change = await watch.after('k')
  if (change !== null) appendFileSync(told, Buffer.from(change.diff))
  await watch.forget('k')
}
await tell()
for (let line = existsSync(story) ? readFileSync(story, 'utf8').split('\n').length : 1; ; line += 1) {
  await watch.before('k')
  appendFileSync(story, `line ${line}\n`)
  await tell()
  process.stdout.write('.')
}
