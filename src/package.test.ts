// The package as npm would publish it: what a stranger gets, and on which Node it installs without a warning.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import semver from 'semver'
import { describe, expect, it } from 'vitest'

interface Locked {
  readonly version?: string
  readonly dev?: boolean
  readonly link?: boolean
  readonly engines?: { readonly node?: string }
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
const { engines, peerDependencies } = read('package.json') as {
  engines: { node: string }
  peerDependencies: Readonly<Record<string, string>>
}

let packedPaths: ReadonlySet<string> | null = null
/** Paths in the package, as npm would pack it. */
function packedFiles(): ReadonlySet<string> {
  if (packedPaths !== null) return packedPaths
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const packed = JSON.parse(listed) as
    | readonly { files: readonly { path: string }[] }[]
    | Record<string, { files: readonly { path: string }[] }>
  packedPaths = new Set(Object.values(packed)[0]!.files.map(({ path }) => path))
  return packedPaths
}

describe('the package', () => {
  it('newcomer §2.2: has no production dependency that wants a newer Node than it says itself', () => {
    const oldest = semver.minVersion(engines.node)!
    const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Locked>> }
    const unmet = Object.entries(packages)
      .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
      .filter(([, { engines: wanted }]) => wanted?.node !== undefined && !semver.satisfies(oldest, wanted.node))
      .map(([path, { version, engines: wanted }]) => `${path}@${version} wants Node ${wanted!.node}`)
    expect(unmet).toEqual([])
  })

  it('newcomer §2.1: accepts the AI SDK 6 and 7, each with its providers', () => {
    const accepts = (name: string, version: string) => semver.satisfies(version, peerDependencies[name]!)
    const majors = {
      ai: [6, 7],
      '@ai-sdk/openai': [3, 4],
      '@ai-sdk/anthropic': [3, 4],
      '@ai-sdk/google': [3, 4],
      '@ai-sdk/openai-compatible': [2, 3],
    }
    for (const [name, versions] of Object.entries(majors))
      for (const major of versions) expect([name, major, accepts(name, `${major}.999.0`)]).toEqual([name, major, true])
  })

  it('newcomer §2.16, agentos D26: has its docs, and every link of README and docs leads somewhere in it', () => {
    const files = packedFiles()
    const isThere = (path: string) => files.has(path) || [...files].some(file => file.startsWith(`${path}/`))
    const pages = [...files].filter(path => path === 'README.md' || /^docs\/.*\.md$/.test(path))
    expect(pages.length).toBeGreaterThan(20)
    const dead = pages.flatMap(page =>
      [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, link]) => link!)
        .filter(link => !/^[a-z]+:/.test(link) && !isThere(posix.join(posix.dirname(page), link).replace(/\/$/, '')))
        .map(link => `${page} -> ${link}`),
    )
    expect(dead).toEqual([])
  })

  it('openwop D26: the schemas of a prompt reference and of a kind compile alone, and say what OpenWOP says', () => {
    const files = packedFiles()
    const compileAlone = (name: string) => {
      const path = `schemas/openwop/${name}.schema.json`
      expect(files).toContain(path)
      return new Ajv2020({ strict: true, allowUnionTypes: true }).compile(read(path))
    }
    const isRef = compileAlone('prompt-ref')
    const refs = ['prompt:a', 'prompt:a@1.0.0', { templateId: 'a' }, { templateId: 'a', version: '1.0.0', libraryId: 'host' }]
    const others = ['a', 'prompt:A', {}, { templateId: 'A' }, { templateId: 'a', version: '1' }, { templateId: 'a', other: 1 }]
    expect([...refs, ...others].map(one => isRef(one))).toEqual([...refs.map(() => true), ...others.map(() => false)])
    const isKind = compileAlone('prompt-kind')
    expect([isKind('system'), isKind('other')]).toEqual([true, false])

    const { properties } = read('schemas/openwop/prompt-template.schema.json')
    const ofRef = read('schemas/openwop/prompt-ref.schema.json').oneOf[1].properties
    for (const name of ['templateId', 'version']) expect([name, ofRef[name].pattern]).toEqual([name, properties[name].pattern])
  })
})
