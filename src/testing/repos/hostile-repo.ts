// A repo full of ways out, beside a folder that nothing may reach, and the means to see whether anything did. For tests.
import { execFileSync } from 'node:child_process'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import type { Fault } from '../../errors.ts'
import type { Binding } from '../../ports.ts'

/** In every file outside the repo, and in the name of one. */
export const SECRET = 'OUTSIDE-THE-REPO'

/** On disk it takes nothing. */
const SPARSE_BYTES = 2 ** 40

/** Paths that no tool may change. */
const GUARDED = [
  ...['.git/config', '.git/hooks/pre-commit', 'sub/.git/config', 'docs/templates/writer.md', 'prompts/pack.yaml', 'tools/tool.json'],
  ...['agents/agent.yaml', 'workflows/flow.yaml', 'schemas/schema.json', 'context/context.md', 'onbook.host.yaml', 'onbook.policy.yaml'],
  ...['agent.workspace.json', '.onbook/keys/key', '.onbook/onbook.db', 'desk/onbook.config.yaml', 'desk/prompts/pack.yaml'],
]

export interface HostileRepo {
  readonly root: string
  readonly outside: string
  /** Guarded paths that have changed. */
  changes(): readonly string[]
}

export function hostileRepo(): HostileRepo {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'onbook-hostile-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [root, outside] = [join(folder, 'repo'), join(folder, 'outside')]
  const plant = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  for (const path of ['secret.txt', 'a.txt', 'config', 'deep/secret.txt', 'docs/templates/writer.md', `${SECRET}.txt`])
    plant(join(outside, path), SECRET)
  plant(join(folder, 'secret.txt'), SECRET)
  for (const path of GUARDED) plant(join(root, path), `guarded ${path}`)
  plant(join(root, 'src/a.txt'), 'inside')
  plant(join(root, 'content/a.txt'), 'inside')
  plant(join(root, 'code/twin.txt'), 'inside')
  for (const [name, target] of Object.entries(links(outside))) symlinkSync(target, join(root, name))
  linkSync(join(outside, 'secret.txt'), join(root, 'hard'))
  linkSync(join(root, 'code/twin.txt'), join(root, 'docs/hard.txt'))
  plant(join(root, 'sparse'), '')
  truncateSync(join(root, 'sparse'), SPARSE_BYTES)
  // A device can be made by root alone; where it cannot, the ways to it lead to nothing.
  execFileSync('sh', ['-c', 'mkfifo fifo; mknod device c 1 3 2>/dev/null || true'], { cwd: root })
  const kept = () => [...lookOf(outside), ...lookOf(join(folder, 'secret.txt')), ...GUARDED.flatMap(path => lookOf(join(root, path)))]
  const before = kept()
  return {
    root,
    outside,
    changes() {
      const now = kept()
      return [...before.filter(line => !now.includes(line)), ...now.filter(line => !before.includes(line))]
    },
  }
}

const links = (outside: string): Readonly<Record<string, string>> => ({
  'link-out': outside,
  'link-relative': '../outside',
  'link-chain': 'link-out',
  'link-file': join(outside, 'secret.txt'),
  'link-deep': 'src/../../outside/deep',
  'link-parent': '..',
  'link-root': '/',
  'link-proc': `/proc/self/root${outside}`,
  'link-null': '/dev/null',
  'link-nowhere': join(outside, 'created'),
  'link-nowhere-inside': 'src/created-by-link',
  'link-loop': 'link-loop',
  'link-round': 'link-about',
  'link-about': 'link-round',
  'link-third': 'link-chain',
  'link-grandparent': '../..',
  'link-environ': '/proc/self/environ',
  'link-cwd': '/proc/self/cwd',
  'link-descriptors': '/proc/self/fd',
  'link-stdin': '/dev/stdin',
  'link-zero': '/dev/zero',
  'link-hard': 'hard',
  'link-fifo': 'fifo',
  'link-slash': '../outside/',
  'link-dot': '.',
  'link-git': '.git',
  'link-data': '.onbook',
  'link-roles': 'docs/templates',
  'src/link-out': '../../outside',
  'docs/link-src': '../src',
  'docs/link-up': '..',
  'docs/link-file': '../src/a.txt',
  'docs/link-roles': 'templates',
  'docs/link-nowhere': '../src/made-by-link.txt',
})

/** Every file below it as a line: its name, what it is, and what is in it. Links are not followed. */
function lookOf(path: string): readonly string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return [`${path} is gone`]
  if (found.isDirectory()) return [`${path} folder`, ...readdirSync(path).flatMap(name => lookOf(join(path, name)))]
  if (found.isSymbolicLink()) return [`${path} link ${readlinkSync(path)}`]
  return [`${path} ${found.mode} ${found.mtimeMs} ${found.isFile() ? readFileSync(path, 'utf8') : ''}`]
}

/** The model's result: the answer, or the fault. Any other error is a defect, and fails the test. */
export async function runTool(tools: readonly Binding[], name: string, args: object): Promise<Json | { code: string; message: string }> {
  const binding = tools.find(({ descriptor }) => descriptor.name === name)!
  try {
    return await binding.run(
      { tenant: 'default', runId: 'r1', nodeId: 'a', agent: 'a', arguments: args as Json },
      new AbortController().signal,
    )
  } catch (error) {
    // By name: a test that loads the tools anew has another class.
    if ((error as Error).name !== 'Fault') throw error
    const { code, message } = error as Fault
    return { code, message }
  }
}
