// A tiny project with our bootstrap in it, for its tests: real scripts, a compiler of ten lines, and an npm that can hang or fail.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface Ended {
  readonly code: number | null
  readonly output: string
}

export interface Started {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves once this text was printed. */
  readonly printed: (text: string) => Promise<void>
}

const MANIFEST = { name: 'fake', version: '1.0.0', private: true, type: 'module', devDependencies: { typescript: 'file:compiler' } }
const LOCKFILE = {
  name: 'fake',
  version: '1.0.0',
  lockfileVersion: 3,
  requires: true,
  packages: {
    '': MANIFEST,
    compiler: { name: 'typescript', version: '1.0.0', dev: true },
    'node_modules/typescript': { resolved: 'compiler', link: true },
  },
}

const COMPILER = `
const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const out = process.argv[process.argv.indexOf('--outDir') + 1]
const source = readFileSync('src/cli/main.ts', 'utf8')
mkdirSync(out + '/cli', { recursive: true })
appendFileSync('ran.log', 'build\\n')
if (source.includes('TYPE ERROR')) { console.log('main.ts: TYPE ERROR'); process.exit(2) }
writeFileSync(out + '/cli/main.js', source)
`

/** The compiled command line, where the launcher looks for it. */
const BUNDLER = `
import { cpSync } from 'node:fs'
const dist = process.argv[2]
cpSync(dist + '/cli/main.js', dist + '/bundle/main.mjs')
`

/** As npm ci does it: throw away, then make anew. In between it waits for as long as there is a file npm-waits. */
const NPM = `#!${process.execPath}
const { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync } = require('node:fs')
appendFileSync('ran.log', 'npm ' + process.argv.slice(2, 4).join(' ') + '\\n')
rmSync('node_modules', { recursive: true, force: true })
mkdirSync('node_modules')
if (existsSync('npm-fails')) { console.error('the registry is on fire'); process.exit(3) }
const finish = () => existsSync('npm-waits') ? setTimeout(finish, 10) : symlinkSync('../compiler', 'node_modules/typescript')
finish()
`

const JOB = `
console.log('job', process.argv.slice(2).join(' '))
if (process.argv[2] === 'wait') {
  setTimeout(() => {}, 60_000)
  process.on('SIGINT', () => process.exit(5))
  console.log('waiting')
} else process.exit(7)
`

export type FakeProject = ReturnType<typeof fakeProject>

export function fakeProject() {
  const root = mkdtempSync(join(tmpdir(), 'onbook-setup-'))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const npm = join(root, 'npm.cjs')
  for (const path of ['scripts/bootstrap.mjs', 'scripts/jobs.mjs', 'scripts/setup', 'scripts/jobs', 'bin']) {
    cpSync(path, join(root, path), { recursive: true })
  }
  write('scripts/setup/bundle.mjs', BUNDLER)
  write('package.json', JSON.stringify(MANIFEST))
  write('package-lock.json', JSON.stringify(LOCKFILE))
  write('compiler/package.json', '{ "name": "typescript", "version": "1.0.0" }')
  write('compiler/bin/tsc', COMPILER)
  write('tsconfig.build.json', '{}')
  write('src/cli/main.ts', "export const main = async () => console.log('first') ?? 0")
  write('src/cli/scaffold/pack.yaml', 'id: x')
  write('scripts/bench/job.mjs', JOB)
  write('npm.cjs', NPM)
  chmodSync(npm, 0o755)

  const start = (args: readonly string[], options: { readonly npm?: string } = {}): Started => {
    const env = { ...process.env, ONBOOK_SETUP_NPM: options.npm ?? npm }
    // A group of its own, so that a test can kill all of it as a closing terminal would.
    const child = spawn(process.execPath, ['scripts/bootstrap.mjs', ...args], { cwd: root, env, detached: true })
    let output = ''
    const listeners = new Set<() => void>()
    const hear = (text: string) => {
      output += text
      for (const listener of listeners) listener()
    }
    child.stdout.setEncoding('utf8').on('data', hear)
    child.stderr.setEncoding('utf8').on('data', hear)
    return {
      process: child,
      ended: new Promise(resolve => child.on('close', code => resolve({ code, output }))),
      printed: text =>
        new Promise(resolve => {
          const listener = () => output.includes(text) && resolve()
          listeners.add(listener)
          listener()
        }),
    }
  }

  return {
    root,
    write,
    erase: (path: string) => rmSync(join(root, path)),
    start,
    /** The job that prints its arguments and ends with 7. */
    run: (options?: { readonly npm?: string }) => start(['bench', 'job', 'a', 'b'], options).ended,
    /** What npm and the compiler were asked to do since the last time this was asked. */
    ran: () => {
      const log = join(root, 'ran.log')
      try {
        return readFileSync(log, 'utf8').trim().split('\n')
      } catch {
        return []
      } finally {
        rmSync(log, { force: true })
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
