// `npm run story -- <name>`: prints one story of the questions; fixtures/golden/stories/ holds the same.
// @ts-check
import { STORIES, tell } from './stories.mjs'

/** @param {import('../jobs.mjs').Context} context */
export async function run({ root, args: [name = ''] }) {
  if (!Object.hasOwn(STORIES, name)) {
    console.error(`${name === '' ? 'Which story?' : `No story named "${name}".`} There are: ${Object.keys(STORIES).join(', ')}.`)
    return 2
  }
  process.stdout.write(await tell(root, name))
  return 0
}
