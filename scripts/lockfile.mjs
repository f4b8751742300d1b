// `node scripts/lockfile.mjs`: completes package-lock.json after a package was added or updated.
// A registry that mirrors only some platforms makes npm leave the others out, and then `npm ci` refuses the lockfile everywhere.
// Such packages are optional, pinned exactly, and named after their platform, so their entries can be written without asking.
// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** @typedef {{ version?: string, dev?: boolean, optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Entry */
/** @typedef {Entry & { resolved?: string, hasInstallScript?: boolean, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} Package */
/** @typedef {{ packages: Record<string, Package> }} Lockfile */

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

/** @param {Lockfile} lockfile @returns {{ name: string, version: string, by: string }[]} what some package names and no entry answers */
export function missingFrom({ packages }) {
  return Object.entries(packages).flatMap(([by, found]) =>
    Object.entries({ ...found.dependencies, ...found.optionalDependencies })
      .filter(([name]) => !foldersFrom(by).some(folder => `${folder}node_modules/${name}` in packages))
      .map(([name, version]) => ({ name, version, by })),
  )
}

/** @param {Lockfile} lockfile @returns {Lockfile} */
export function complete(lockfile) {
  const packages = { ...lockfile.packages }
  for (const { name, version, by } of missingFrom(lockfile)) {
    const platform = platformOf(name)
    if (platform === null || !/^\d/.test(version)) throw new Error(`${name}@${version}, which ${by} needs, is missing: run npm install`)
    const { cpu, libc, os } = platform
    const dev = packages[by]?.dev === true ? { dev: true } : {}
    // In the order that npm writes, so that its next run changes nothing.
    packages[`node_modules/${name}`] = { version, cpu, ...dev, ...(libc && { libc }), optional: true, ...(os && { os }) }
  }
  return { ...lockfile, packages: Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'))) }
}

/** @param {string} name @returns {{ cpu: string[], os?: string[], libc?: string[] } | null} */
function platformOf(name) {
  const words = name.split(/[-/]/)
  const os = SYSTEMS.filter(system => words.includes(system))
  const cpu = PROCESSORS.filter(processor => words.includes(processor))
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : []
  if (cpu.length === 0) return null
  return { cpu, ...(os.length > 0 && { os }), ...(os.includes('linux') && libc.length > 0 && { libc }) }
}

/** @param {string} path @returns {string[]} the folders Node looks into from there, as prefixes */
function foldersFrom(path) {
  const folders = path === '' ? [] : [`${path}/`]
  for (let at = path.lastIndexOf('/node_modules/'); at !== -1; at = path.lastIndexOf('/node_modules/', at - 1))
    folders.push(path.slice(0, at + 1))
  return [...folders, '']
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  console.log(`${missingFrom(lockfile).length} entries added`)
  writeFileSync('package-lock.json', `${JSON.stringify(complete(lockfile), null, 2)}\n`)
}
