// Tests content on a terminal: a pseudo terminal receives no escape sequence of a template or event, and a pipe receives the bytes.
import { spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { sqliteStore } from '../adapters/sqlite-store/sqlite-store.ts'
import { publishTemplates } from '../engine/library/publish.ts'
import { PRODUCT_PROJECTIONS } from '../engine/record/projections.ts'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'
import { clock } from '../testing/stores/sqlite-place.ts'

const CLI = resolve('bin', 'onbook.mjs')
const HOSTILE = 'a\u001b]52;c;aGk=\u0007b\u001b[2Jc\u202ed\u009be'
const data = temporaryFolder(null)

beforeAll(async () => {
  const store = sqliteStore(join(data, 'onbook.db'), clock, PRODUCT_PROJECTIONS)
  const template = { templateId: 'p', version: '1.0.0', kind: 'system', text: HOSTILE, tags: ['x\u009by'] } as const
  await publishTemplates(store, { tenant: 'default', libraryId: 'onbook', actor: 'test' }, [template], { mode: 'create', origin: 'user' })
  await store.close()
})

const onTerminal = (args: readonly string[]): Promise<string> =>
  new Promise((settle, fail) => {
    const command = [process.execPath, CLI, ...args, '--data', data].map(part => `"${part}"`).join(' ')
    const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...process.env, NO_COLOR: '1' } })
    let out = ''
    child.stdout.on('data', chunk => {
      out += chunk
    })
    child.on('error', fail)
    child.on('close', () => settle(out))
  })

it.each([
  [['render', 'prompt:p@1.0.0', '--published']],
  [['render', 'prompt:p@1.0.0', '--published', '--segments']],
  [['render', 'prompt:p@1.0.0', '--published', '--json']],
  [['events', 'library/onbook']],
  [['events', 'library/onbook', '--json']],
])('reliability D14: onbook %j sends no escape to a terminal', async args => {
  const out = await onTerminal(args)
  expect(out).toMatch(/"?x|a/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(out).not.toMatch(/[\u001b\u0007\u009b\u202e]/)
})

it('reliability D14: a pipe gets the text byte for byte', async () => {
  expect((await runCli(['render', 'prompt:p@1.0.0', '--published', '--data', data])).out).toBe(HOSTILE)
})
