// @ts-check
// A promptfoo project with as many cases as we test, its echo provider, and its defaults but for the cache: what `promptfoo eval` does.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @param {number} cases @param {string} peerFolder */
export function promptfooFolder(cases, peerFolder) {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-promptfoo-'))
  // The same work as ours: the reply is JSON, matches a schema, and equals what is expected.
  const schema = {
    type: 'object',
    required: ['summary', 'keyPoints'],
    properties: { summary: { type: 'string' }, keyPoints: { type: 'array', items: { type: 'string' } } },
  }
  const tests = Array.from({ length: cases }, (_, index) => {
    const reply = JSON.stringify({ summary: `Summary ${index}`, keyPoints: [`Point ${index}`] })
    return {
      vars: { reply },
      assert: [
        { type: 'is-json', value: schema },
        { type: 'equals', value: reply },
      ],
    }
  })
  writeFileSync(join(folder, 'promptfooconfig.json'), JSON.stringify({ prompts: ['{{reply}}'], providers: ['echo'], tests }))
  const home = join(peerFolder, 'node_modules', 'promptfoo')
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  const args = [join(home, bin.promptfoo ?? bin), 'eval', '-c', join(folder, 'promptfooconfig.json'), '--no-cache', '-j', '8']
  const env = {
    ...process.env,
    PROMPTFOO_CONFIG_DIR: folder,
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
    PROMPTFOO_DISABLE_REMOTE_GENERATION: '1',
    PROMPTFOO_SELF_HOSTED: '1',
  }
  return { folder, args, options: { env, cwd: folder } }
}
