// Commands that a page shows, and a shell that follows them to their end as a reader would.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'

export const ROOT = resolve('.')

/** An empty folder of a reader who has installed the package. Its name has a space. */
export function readersFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'onbook reader-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules', 'onbook'))
  return folder
}

export interface Shown {
  readonly command: string
  readonly exits: number
}

export const shownIn = (path: string): readonly Shown[] =>
  [...readFileSync(path, 'utf8').matchAll(/```bash\n([\s\S]*?)```/g)]
    .flatMap(block => block[1]!.split('\n'))
    .filter(line => line.trim() !== '')
    .map(line => ({ command: line.replace(/\s+# .*$/, ''), exits: Number(/# exits (\d)/.exec(line)?.[1] ?? 0) }))

/** The `console` blocks of a page: each command, and lines of its output. */
export const consoleIn = (path: string): readonly { readonly command: string; readonly prints: readonly string[] }[] =>
  [...readFileSync(path, 'utf8').matchAll(/```console\n([\s\S]*?)```/g)]
    .flatMap(block => block[1]!.split(/^\$ /m).slice(1))
    .map(text => text.trimEnd().split('\n'))
    .map(([command = '', ...prints]) => ({ command, prints }))

const MOST_MS = 240_000

/** A story that breaks off must not leave a host behind. */
const STOP_HOSTS = `stop_hosts() {
  [ $? = 0 ] && return
  find "$STORY" -name .onbook -prune | while read -r data; do onbook host stop --data "$data"; done >/dev/null 2>&1
}
trap stop_hosts EXIT`

/** One shell for the whole story, so that `cd` lasts; it stops at the first command that ends otherwise than shown. `npx` would look for the
 *  package in the folder it runs in, and these are elsewhere: here it runs the command itself. */
export function follow(story: readonly Shown[], cwd: string) {
  const script = story.map(
    ({ command, exits }) =>
      `echo '$ '${JSON.stringify(command).replaceAll('$', '\\$').replaceAll('`', '\\`')}\n${command}\n[ $? = ${exits} ] || exit 99`,
  )
  const env = {
    ...process.env,
    PATH: `${join(ROOT, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`,
    NO_COLOR: '1',
    CI: '',
    STORY: cwd,
  }
  const whole = [STOP_HOSTS, 'npx() { "$@"; }', ...script].join('\n')
  const { status, stdout, stderr } = spawnSync('bash', ['-c', whole], { cwd, env, encoding: 'utf8', timeout: MOST_MS })
  return { status, output: stdout + stderr }
}
