// The architecture, as a test. A room may import what is listed here and nothing else; core computes and touches nothing.
import { readdirSync, readFileSync } from 'node:fs'
import { posix, sep } from 'node:path'
import { parseSync, Visitor } from 'rolldown/utils'
import { describe, expect, it } from 'vitest'

const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  faults: [],
  'errors.ts': ['faults'],
  'ports.ts': ['core'],
  wire: ['core'],
  engine: ['core', 'ports.ts', 'errors.ts'],
  adapters: ['core', 'ports.ts', 'errors.ts'],
  client: ['wire'],
  host: ['core', 'engine', 'ports.ts', 'errors.ts', 'wire'],
  'index.ts': ['book.ts', 'book', 'client', 'engine', 'ports.ts', 'errors.ts', 'adapters'],
  'book.ts': ['book', 'client', 'ports.ts'],
  book: ['book.ts', 'core', 'engine', 'ports.ts', 'errors.ts', 'wire', 'client', 'adapters', 'host'],
  cli: ['core', 'engine', 'ports.ts', 'errors.ts', 'wire', 'client', 'adapters', 'host', 'book', 'book.ts'],
}

/**
 * The folders of core, lowest first: a folder imports itself and those before it, so that no two folders need each other.
 * A new folder is put after everything that it imports.
 */
const CORE_ORDER = [
  ...['digest', 'record', 'schema', 'template', 'access', 'definition', 'pack', 'library', 'resolve'],
  ...['messages', 'prelude', 'tools', 'workspace', 'gate', 'compose', 'example', 'bundle', 'session', 'role'],
  ...['workflow', 'agent', 'lint', 'turn', 'run'],
  ...['replay', 'blame', 'prefix', 'why', 'regression', 'diff', 'fork'],
]
/** Files of core that may import types of a later folder, with the reason. They import no code from there. */
const LATER_TYPES: Record<string, { readonly folders: readonly string[]; readonly reason: string }> = {
  'core/messages/model-call.ts': { folders: ['tools'], reason: 'a call to a model carries the tools that the model is shown' },
  'core/compose/compose-style.ts': {
    folders: ['workflow', 'agent'],
    reason: 'the default style depends on the shape of a workflow and its agent',
  },
}

/** Packages that run in a browser and keep no state. */
const CORE_PACKAGES = ['yaml', 'semver', '@cfworker/json-schema', '@noble/hashes', 'diff']
/** The one file of core that a browser build leaves out (package.json, imports, #sha256). */
const NODE_FILE = 'core/digest/sha256-node.ts'
/** Reaching into these, or calling those, touches the world or answers differently each time. */
const WORLD = ['process', 'console', 'globalThis', 'Buffer', 'crypto', 'performance']
const ACTS = ['fetch', 'require', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Date']

interface Source {
  /** From src, with forward slashes. */
  readonly path: string
  readonly text: string
}

const sources: readonly Source[] = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map(path => path.split(sep).join('/'))
  .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('testing/'))
  .map(path => ({ path, text: readFileSync(`src/${path}`, 'utf8') }))

describe.each(sources)('$path', source => {
  it('stays in its room', () => expect(breaches(source)).toEqual([]))
})

/** Each import that this source may not have, and each impure thing it does, as a line for a person. */
function breaches({ path, text }: Source): string[] {
  const { program, module } = parseSync(path, text)
  const found: string[] = []
  const imported = new Set([
    ...module.staticImports.map(entry => entry.moduleRequest.value),
    ...module.staticExports.flatMap(statement => statement.entries.flatMap(entry => entry.moduleRequest?.value ?? [])),
  ])
  const core = path.startsWith('core/')

  const visitor = new Visitor({
    ImportExpression({ source }) {
      if (source.type === 'Literal' && typeof source.value === 'string') imported.add(source.value)
      else if (core) found.push('imports something computed')
    },
    TSImportType({ source }) {
      imported.add(source.value)
    },
    ExportAllDeclaration({ exported }) {
      if (exported === null) found.push('export *: list the names')
    },
    ...(core ? impurities(found) : {}),
  })
  visitor.visit(program)

  for (const target of imported) {
    if (!mayImport(path, target)) found.push(`imports ${target}`)
  }
  return [...new Set(found)]
}

function mayImport(path: string, target: string): boolean {
  const room = path.split('/')[0]!
  if (target.startsWith('.')) {
    const reached = posix.join(posix.dirname(path), target)
    // Replay only folds. It cannot act, because it cannot reach what acts.
    if (path.startsWith('core/replay/') && /\/(plan|decide)\.ts$/.test(reached)) return false
    const reachedRoom = reached.split('/')[0]!
    if (room === 'core' && reachedRoom === 'core') return mayReachInCore(path, reached)
    return reachedRoom === room || (MAY_IMPORT[room]?.includes(reachedRoom) ?? false)
  }
  if (room !== 'core') return true
  if (target === '#sha256') return true
  if (target.startsWith('node:')) return path === NODE_FILE
  return CORE_PACKAGES.some(name => target === name || target.startsWith(`${name}/`))
}

/** core/index.ts exports names of every folder. */
function mayReachInCore(path: string, reached: string): boolean {
  if (path === 'core/index.ts') return true
  const [from, to] = [path, reached].map(one => one.split('/')[1]!) as [string, string]
  if (from === to) return true
  const [fromPlace, toPlace] = [CORE_ORDER.indexOf(from), CORE_ORDER.indexOf(to)]
  return (fromPlace >= 0 && toPlace >= 0 && toPlace < fromPlace) || (LATER_TYPES[path]?.folders.includes(to) ?? false)
}

function impurities(found: string[]): ConstructorParameters<typeof Visitor>[0] {
  return {
    AwaitExpression: () => void found.push('awaits'),
    ForOfStatement: node => void (node.await && found.push('awaits')),
    MemberExpression: ({ object, property }) => {
      if (object.type !== 'Identifier') return
      const name = property.type === 'Identifier' ? `${object.name}.${property.name}` : object.name
      if (name === 'Date.now' || name === 'Math.random') found.push(`uses ${name}`)
      if (WORLD.includes(object.name)) found.push(`uses ${object.name}`)
    },
    CallExpression: ({ callee }) => {
      if (callee.type === 'Identifier' && ACTS.includes(callee.name)) found.push(`calls ${callee.name}`)
    },
    NewExpression: ({ callee, arguments: given }) => {
      if (callee.type === 'Identifier' && callee.name === 'Date' && given.length === 0) found.push('uses new Date()')
    },
  }
}

it.each(Object.entries(LATER_TYPES))('%s imports only types of a later folder, and still needs to', (path, { folders }) => {
  const text = sources.find(source => source.path === path)?.text ?? ''
  const later = text.split('\n').filter(line => folders.some(folder => line.includes(` from '../${folder}/`)))
  expect(new Set(later.map(line => line.match(/'\.\.\/(\w+)\//)?.[1]))).toEqual(new Set(folders))
  expect(later.filter(line => !line.startsWith('import type '))).toEqual([])
})

it('orders exactly the folders that core has', () => {
  const folders = new Set(sources.flatMap(({ path }) => path.match(/^core\/([^/]+)\//)?.[1] ?? []))
  expect(CORE_ORDER.toSorted()).toEqual([...folders].sort())
})

describe('the fence itself', () => {
  const cases: readonly [string, string, readonly string[]][] = [
    ['core/run/plan.ts', "import { x } from '../../engine/x.ts'", ['imports ../../engine/x.ts']],
    ['core/run/plan.ts', "import '../../errors.ts'", ['imports ../../errors.ts']],
    ['core/run/plan.ts', "export { x } from '../../cli/x.ts'", ['imports ../../cli/x.ts']],
    ['core/run/plan.ts', "export type { X } from '../../cli/x.ts'", ['imports ../../cli/x.ts']],
    ['core/run/plan.ts', "type X = import('../../host/x.ts').X", ['imports ../../host/x.ts']],
    ['core/run/plan.ts', "export const x = () => import('../../host/x.ts')", ['imports ../../host/x.ts']],
    ['core/run/plan.ts', 'export const x = (name: string) => import(name)', ['imports something computed']],
    ['core/run/plan.ts', "import { readFileSync } from 'node:fs'", ['imports node:fs']],
    ['core/run/plan.ts', "import { readFileSync } from 'fs'", ['imports fs']],
    ['core/run/plan.ts', "import type { Ajv } from 'ajv'", ['imports ajv']],
    ['core/run/plan.ts', "import { sha256 } from '@noble/hashes/sha2.js'\nimport { parse } from 'yaml'\nimport { y } from '#sha256'", []],
    ['core/digest/sha256-node.ts', "import { createHash } from 'node:crypto'", []],
    ['core/run/plan.ts', 'export const x = () => Date.now() + Math.random()', ['uses Date.now', 'uses Math.random']],
    ['core/run/plan.ts', 'export const x = new Date()', ['uses new Date()']],
    ['core/run/plan.ts', "export const x = new Date('2020-01-01')", []],
    ['core/run/plan.ts', 'export const x = process.env', ['uses process']],
    ['core/run/plan.ts', "console.log(await fetch('x'))", ['uses console', 'awaits', 'calls fetch']],
    ['core/run/plan.ts', 'export const x = (rule: { fetch: string; process: string }) => rule.process + rule.fetch', []],
    ['core/run/plan.ts', '// await the process. fetch( console.\nexport const x = "await process.env"', []],
    ['core/run/index.ts', "export * from './plan.ts'", ['export *: list the names']],
    [
      'core/replay/replay.ts',
      "import { plan } from '../run/plan.ts'\nimport { reduce } from '../run/reduce.ts'",
      ['imports ../run/plan.ts'],
    ],
    ['core/gate/x.ts', "import type { X } from '../compose/x.ts'\nimport { y } from '../pack/y.ts'", ['imports ../compose/x.ts']],
    ['core/digest/x.ts', "import { x } from '../record/x.ts'", ['imports ../record/x.ts']],
    ['core/fork/x.ts', "import { x } from '../attic/x.ts'", ['imports ../attic/x.ts']],
    ['core/run/graph/x.ts', "import { x } from '../../turn/x.ts'\nimport { y } from '../y.ts'", []],
    ['core/turn/x.ts', "import { x } from '../run/graph/x.ts'", ['imports ../run/graph/x.ts']],
    ['core/index.ts', "export { x } from './fork/x.ts'", []],
    ['ports.ts', "import type { Digest } from './core/digest/digest.ts'", []],
    ['host/app.ts', "import { x } from '../adapters/x.ts'\nimport { y } from '../engine/y.ts'", ['imports ../adapters/x.ts']],
    ['attic/x.ts', "import { x } from '../core/x.ts'", ['imports ../core/x.ts']],
  ]
  it.each(cases)('%s: %s', (path, text, expected) => expect(breaches({ path, text })).toEqual(expected))
})
