// `npm run bench -- <name>`: one benchmark of scripts/bench/.
// @ts-check
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { run as spawn } from '../setup/run.mjs'

const FOLDER = join('scripts', 'bench')

/** @param {import('../jobs.mjs').Context} context */
export async function run({ root, args: [name = '', ...args] }) {
  const names = namesIn(join(root, FOLDER))
  if (names.includes(name)) return (await spawn(process.execPath, [join(FOLDER, `${name}.mjs`), ...args], { cwd: root })).code
  console.error(`${name === '' ? 'Which benchmark?' : `No benchmark named "${name}".`} There are: ${names.join(', ') || 'none yet'}.`)
  return 2
}

/** @param {string} folder */
function namesIn(folder) {
  if (!existsSync(folder)) return []
  const files = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isFile() && entry.name.endsWith('.mjs'))
  return files.map(entry => entry.name.slice(0, -'.mjs'.length)).sort()
}
