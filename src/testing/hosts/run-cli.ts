// The command line as a user meets it: a process of its own, its output, its exit code.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { asUser, reachableProduct } from './other-user.ts'

export interface CliRun {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface CliOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** The user it runs as, from a copy of the product that this user can reach. */
  readonly uid?: number | null
  /** Another Node than this one. */
  readonly node?: string
  /** Another release than this one. */
  readonly cli?: string
  /** Called with the running process, for tests that interrupt it. */
  readonly during?: (child: import('node:child_process').ChildProcess) => void
}

const CLI = resolve('bin', 'onbook.mjs')

export function runCli(
  args: readonly string[],
  {
    cwd,
    env,
    uid = null,
    node = process.execPath,
    cli = uid === null ? CLI : join(reachableProduct(), 'bin', 'onbook.mjs'),
    during,
  }: CliOptions = {},
): Promise<CliRun> {
  return new Promise(settle => {
    const child = spawn(node, [...asUser(uid), cli, ...args], {
      cwd,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout.on('data', chunk => {
      out += chunk
    })
    child.stderr.on('data', chunk => {
      err += chunk
    })
    child.on('close', code => settle({ code, out, err }))
    during?.(child)
  })
}

/** A throw-away copy of a folder, or an empty one, with files written over it. */
export function temporaryFolder(from: string | null, files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-cli-'))
  if (from !== null) cpSync(from, folder, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}
