// dist/, from src/. Made beside and moved in whole, so that nobody ever runs half a build.
// @ts-check
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { installStamp } from './install.mjs'
import { phase } from './phase.mjs'
import { hashOf, readStamp, removeStamp, writeStamp } from './stamp.mjs'

const STAMP = 'built'
const BUNDLE = join('scripts', 'setup', 'bundle.mjs')
const CONFIGS = ['tsconfig.json', 'tsconfig.build.json', BUNDLE]

/** @param {string} root */
export const isBuilt = root => existsSync(join(root, 'dist')) && readStamp(root, STAMP) === buildStamp(root)

/** @param {string} root @param {boolean} verbose */
export async function build(root, verbose) {
  const stamp = buildStamp(root)
  const made = join(root, '.setup', 'dist-made')
  const old = join(root, '.setup', 'dist-old')
  const dist = join(root, 'dist')
  for (const path of [made, old]) rmSync(path, { recursive: true, force: true })

  const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
  await phase('Building', process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', made], { cwd: root, verbose })
  for (const file of sourcesOf(root).filter(isAsset)) copyAsset(join(root, file), join(made, relative('src', file)))
  if (existsSync(join(made, 'cli', 'main.js')))
    await phase('Bundling', process.execPath, [join(root, BUNDLE), made], { cwd: root, verbose })

  removeStamp(root, STAMP)
  if (existsSync(dist)) renameSync(dist, old)
  renameSync(made, dist)
  rmSync(old, { recursive: true, force: true })
  writeStamp(root, STAMP, stamp)
}

/**
 * The installed packages count too: another compiler makes another dist.
 * @param {string} root
 */
const buildStamp = root => hashOf([installStamp(root)], root, [...CONFIGS, ...sourcesOf(root)])

/** @param {string} root @returns {string[]} everything under src that dist is made of, as paths from the root */
function sourcesOf(root) {
  return readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

/** What the product needs at run time and no compiler makes: not pages, and nothing that only tests use. @param {string} file */
const isAsset = file => !/\.(?:ts|md)$/.test(file) && !file.startsWith('src/testing/')

/** @param {string} from @param {string} to */
function copyAsset(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}
