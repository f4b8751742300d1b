// Copies of the checkout as other people may have it. Tests that pass there do not depend on root's rights, on the path, or on a registry.
// @ts-check
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NOBODY = 65534
/** No registry listens on the discard port, so an attempt to install anything fails at once. */
const OFFLINE = { npm_config_registry: 'http://127.0.0.1:9', npm_config_offline: 'true', npm_config_update_notifier: 'false' }

/** @typedef {{ root: string, user: { uid: number, gid: number } | null, env: NodeJS.ProcessEnv, remove: () => void }} Clone */

/**
 * In a folder that only its owner may enter, with a blank and letters beyond ASCII in its path, without network.
 * @param {string} root
 * @param {'ordinary' | 'same'} owner an ordinary user, where root may make one of it, or the user of this process
 * @returns {Clone}
 */
export function strangerClone(root, owner) {
  const folder = mkdtempSync(join(tmpdir(), 'onbook-stranger-'))
  const home = join(folder, 'Zuhause für Gäste')
  mkdirSync(join(home, 'tmp'), { recursive: true })
  // The copy keeps what set-up made, so that nothing has to be installed.
  execFileSync('cp', ['-a', `${root}/.`, join(home, 'on book')])
  const user = owner === 'ordinary' && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : null
  if (user !== null) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, home])
  chmodSync(home, 0o700)
  chmodSync(folder, 0o755)
  const temporary = user === null ? {} : { TMPDIR: join(home, 'tmp') }
  return {
    root: join(home, 'on book'),
    user,
    env: { ...process.env, ...OFFLINE, ...temporary, HOME: home, npm_config_cache: join(home, '.npm'), ONBOOK_READY: '' },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
