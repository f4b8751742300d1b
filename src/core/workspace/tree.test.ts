import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Digest, digestText } from '../digest/digest.ts'
import { countAfter, diffTrees, type TreeDifference } from './diff.ts'
import { type Listing, listTree } from './list.ts'
import { type Asking, EMPTY, findEntry, nodeText, readNode, type TreeFile } from './tree.ts'
import { type TreeChange, updateTree } from './update.ts'

type FileMap = Readonly<Record<string, TreeFile>>

/** Nodes in memory, and how often each was asked for. */
function forest() {
  const nodes = new Map<Digest, string>([[digestText(nodeText(EMPTY)), nodeText(EMPTY)]])
  const asked: Digest[] = []
  const conduct = <T>(asking: Asking<T>): T => {
    let step = asking.next()
    while (!step.done) {
      asked.push(step.value)
      step = asking.next(readNode(nodes.get(step.value)!)!)
    }
    return step.value
  }
  const update = (root: Digest | null, changes: readonly TreeChange[]) => {
    const updated = conduct(updateTree(root, changes))
    if (updated.ok) for (const [digest, { text }] of updated.nodes) nodes.set(digest, text)
    return updated
  }
  const rootOf = (root: Digest | null, changes: readonly TreeChange[]): Digest => {
    const updated = update(root, changes)
    if (!updated.ok) throw new Error(`${updated.code} ${updated.path}`)
    return updated.root
  }
  const build = (files: FileMap) => rootOf(null, changesOf(files))
  const filesOf = (root: Digest): FileMap => {
    const listed = conduct(listTree(root, { path: '', scope: 'subtree', limit: 1e6 }))
    if (!listed.ok) throw new Error(listed.code)
    return Object.fromEntries(
      listed.entries.flatMap(({ path, kind, digest, size, mode }) => (kind === 'file' ? [[path, { digest, size, mode }]] : [])),
    )
  }
  const list = (root: Digest, listing: Partial<Listing>) => conduct(listTree(root, { path: '', scope: 'dir', limit: 1000, ...listing }))
  const diff = (from: Digest | null, to: Digest | null) => conduct(diffTrees(from, to))
  return {
    nodes,
    asked,
    conduct,
    update,
    rootOf,
    build,
    filesOf,
    list,
    diff,
    find: (root: Digest, path: string) => conduct(findEntry(root, path)),
  }
}

const file = (text: string, mode: TreeFile['mode'] = '0644'): TreeFile => ({ digest: digestText(text), size: text.length, mode })
const changesOf = (files: FileMap): TreeChange[] => Object.entries(files).map(([path, to]) => ({ path, file: to }))

const segment = fc.constantFrom('a', 'a-b', 'a.b', 'b', 'c', 'docs', 'z~')
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map(names => names.join('/'))
const anyFile = fc
  .tuple(fc.string({ maxLength: 3 }), fc.constantFrom('0644' as const, '0755' as const))
  .map(([text, mode]) => file(text, mode))
/** No path is both a file and a folder. */
const fileMap = fc
  .dictionary(path, anyFile, { maxKeys: 25 })
  .map(files => Object.fromEntries(Object.entries(files).filter(([one]) => !Object.keys(files).some(other => other.startsWith(`${one}/`)))))

describe('a tree', () => {
  it('follows from its files: whatever the order, one by one or all at once', () => {
    fc.assert(
      fc.property(fileMap, fc.infiniteStream(fc.nat()), (files, numbers) => {
        const { build, rootOf, filesOf } = forest()
        const shuffled = changesOf(files)
          .map(change => ({ change, by: numbers.next().value }))
          .sort((a, b) => a.by - b.by)
          .map(({ change }) => change)
        const root = build(files)
        expect(rootOf(null, shuffled)).toBe(root)
        if (shuffled.length > 0) expect(shuffled.reduce<Digest | null>((to, change) => rootOf(to, [change]), null)).toBe(root)
        expect(filesOf(root)).toEqual(files)
      }),
    )
  })

  it('has no trace of what was added and taken away again', () => {
    fc.assert(
      fc.property(fileMap, fileMap, (files, more) => {
        const { build, rootOf } = forest()
        const added = Object.entries(more).filter(
          ([path]) => !Object.keys(files).some(known => known === path || known.startsWith(`${path}/`) || path.startsWith(`${known}/`)),
        )
        const root = build(files)
        const both = rootOf(root, changesOf(Object.fromEntries(added)))
        expect(
          rootOf(
            both,
            added.map(([path]) => ({ path, file: null })),
          ),
        ).toBe(root)
      }),
    )
  })

  it('becomes another by their difference', () => {
    fc.assert(
      fc.property(fileMap, fileMap, (before, after) => {
        const { build, diff, rootOf } = forest()
        const [from, to] = [build(before), build(after)]
        const differences = diff(from, to)
        expect(
          rootOf(
            from,
            differences.map(({ path, to: side }) => ({ path, file: side ?? null })),
          ),
        ).toBe(to)
        expect(differences.map(({ path }) => path)).toEqual(differences.map(({ path }) => path).sort())
        const bytes = (files: FileMap) => Object.values(files).reduce((sum, { size }) => sum + size, 0)
        const counted = countAfter({ files: Object.keys(before).length, bytes: bytes(before) }, differences)
        expect(counted).toEqual({ files: Object.keys(after).length, bytes: bytes(after) })
      }),
    )
  })

  it('is listed in pages that together are the whole, in order of path', () => {
    fc.assert(
      fc.property(fileMap, fc.integer({ min: 1, max: 7 }), (files, limit) => {
        const { build, list } = forest()
        const root = build(files)
        const all = list(root, { scope: 'subtree' })
        const paged: string[] = []
        for (let after = ''; paged.length <= 1000; ) {
          const page = list(root, { scope: 'subtree', after, limit })
          if (!page.ok || !all.ok) throw new Error('refused')
          paged.push(...page.entries.map(({ path }) => path))
          if (!page.more) break
          after = paged.at(-1)!
        }
        expect(paged).toEqual(all.ok && all.entries.map(({ path }) => path))
        expect(paged).toEqual([...paged].sort())
      }),
    )
  })

  it('is stored as canonical JSON that begins with $node, its entries sorted', () => {
    const { build, nodes } = forest()
    const root = build({ 'b.md': file('B'), 'a/x': file('', '0755') })
    expect(nodes.get(root)).toBe(
      `{"$node":"tree","entries":[{"digest":"${digestText(nodes.get(build({ x: file('', '0755') }))!)}","kind":"dir","mode":"0755","name":"a","size":0},` +
        `{"digest":"${digestText('B')}","kind":"file","mode":"0644","name":"b.md","size":1}]}`,
    )
  })

  it('makes only the folders on the way to a change', () => {
    const { build, update, asked } = forest()
    const root = build(Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`f${n % 20}/g${n}/x`, file(`${n}`)])))
    asked.length = 0
    const updated = update(root, [{ path: 'f3/g3/x', file: file('new') }])
    expect(asked).toHaveLength(3)
    expect(updated.ok && updated.nodes.size).toBe(3)
  })

  it('is not looked into where it is equal', () => {
    const { build, rootOf, diff, asked } = forest()
    const root = build(Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`f${n % 20}/g${n}/x`, file(`${n}`)])))
    const other = rootOf(root, [{ path: 'f3/g3/x', file: file('new') }])
    asked.length = 0
    expect(diff(root, other)).toMatchObject([{ path: 'f3/g3/x', kind: 'changed', to: { digest: digestText('new') } }])
    expect(asked).toHaveLength(6)
  })

  describe('with very many files in one folder', () => {
    const many = (count: number, length = 0): FileMap =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`docs/${`${n * 7919}`.padEnd(length, 'x')}.md`, file(`${n}`)]))

    it('still follows from its files, and a change makes one part of the folder anew', () => {
      const { build, rootOf, update, diff, filesOf, list } = forest()
      const files = many(3000)
      const root = build(files)
      const [first, ...rest] = changesOf(files).reverse()
      expect(rootOf(rootOf(null, rest), [first!])).toBe(root)
      expect(filesOf(root)).toEqual(files)
      const updated = update(root, [{ path: 'docs/7919.md', file: file('new') }])
      if (!updated.ok) throw new Error(updated.code)
      expect([...updated.nodes.values()].filter(({ node }) => node.entries.some(({ name }) => name === '7919.md'))).toHaveLength(1)
      expect(diff(root, updated.root)).toMatchObject([{ path: 'docs/7919.md', kind: 'changed' }])
      expect(rootOf(updated.root, [{ path: 'docs/7919.md', file: files['docs/7919.md']! }])).toBe(root)
      expect(list(root, { path: 'docs', limit: 2 })).toMatchObject({ ok: true, more: true, entries: [{ path: 'docs/0.md' }, {}] })
    })

    it('writes no new parts but those that a change is in', () => {
      const { build, update, nodes } = forest()
      const root = build(many(3000))
      const known = new Set(nodes.keys())
      const updated = update(root, [{ path: 'docs/0000.md', file: file('added') }])
      expect(updated.ok && [...updated.nodes.keys()].filter(digest => !known.has(digest)).length).toBe(3)
    })

    it('is cut also where no name asks for it', () => {
      const endsPart = (name: string) =>
        [...Buffer.from(name)].reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5) % 256 === 0
      const names = Array.from({ length: 5000 }, (_, n) => `n${n}`).filter(name => !endsPart(name))
      const { build, filesOf, nodes } = forest()
      const files = Object.fromEntries(names.slice(0, 2500).map(name => [name, file(name)]))
      expect(filesOf(build(files))).toEqual(files)
      expect([...nodes.values()].map(text => readNode(text)!.entries.length).sort((a, b) => b - a)).toEqual([1000, 1000, 500, 0, 0])
    })

    it('has no node that is more than a store takes, however long the names are', () => {
      const { build, nodes } = forest()
      build(many(4000, 508))
      expect(Math.max(...[...nodes.values()].map(text => text.length))).toBeLessThan(1024 * 1024)
    })
  })

  const story: FileMap = { 'docs/a.md': file('A'), 'docs/sub/b.md': file('B'), 'run.sh': file('R', '0755') }

  it('keeps the mode of a file that is written again, and takes another', () => {
    const { build, rootOf, find } = forest()
    const { digest, size } = file('new')
    expect(find(rootOf(build(story), [{ path: 'run.sh', file: { digest, size } }]), 'run.sh')).toMatchObject({ digest, mode: '0755' })
    expect(find(rootOf(build(story), [{ path: 'run.sh', file: file('R') }]), 'run.sh')?.mode).toBe('0644')
  })

  it('shows a change of mode as such', () => {
    const { build, diff } = forest()
    const changes: readonly TreeDifference[] = diff(build(story), build({ ...story, 'run.sh': file('R') }))
    expect(changes).toMatchObject([{ path: 'run.sh', kind: 'mode', from: { mode: '0755' }, to: { mode: '0644' } }])
  })

  it('lets a file make room for a folder, and a folder for a file', () => {
    const { build, rootOf, filesOf } = forest()
    const folder = rootOf(build({ a: file('A') }), [
      { path: 'a/b', file: file('B') },
      { path: 'a', file: null },
    ])
    expect(filesOf(folder)).toEqual({ 'a/b': file('B') })
    const back = rootOf(folder, [
      { path: 'a', file: file('A') },
      { path: 'a/b', file: null },
    ])
    expect(back).toBe(build({ a: file('A') }))
  })

  const refusals: readonly [string, readonly TreeChange[], string, string][] = [
    ['a file where a folder is', [{ path: 'docs', file: file('x') }], 'path_is_folder', 'docs'],
    ['a file below a file', [{ path: 'run.sh/x', file: file('x') }], 'path_in_file', 'run.sh'],
    ['removing what is not there', [{ path: 'docs/c.md', file: null }], 'path_missing', 'docs/c.md'],
    ['removing below what is not there', [{ path: 'nowhere/c.md', file: null }], 'path_missing', 'nowhere/c.md'],
    ['removing a folder with something in it', [{ path: 'docs', file: null }], 'path_is_folder', 'docs'],
    ['annotating what is not there', [{ path: 'x', annotations: digestText('{}') }], 'path_missing', 'x'],
    ['a file as the root', [{ path: '', file: file('x') }], 'path_is_folder', ''],
    [
      'a path twice',
      [
        { path: 'x', file: file('1') },
        { path: 'x', file: file('2') },
      ],
      'path_twice',
      'x',
    ],
    [
      'a file and something below it',
      [
        { path: 'x', file: file('1') },
        { path: 'x/y', file: file('2') },
      ],
      'path_is_folder',
      'x',
    ],
  ]
  it.each(refusals)('refuses %s', (_, changes, code, path) => {
    const { build, update } = forest()
    expect(update(build(story), changes)).toEqual({ ok: false, code, path })
  })

  it('keeps annotations through writes, of files and of folders, and shows when they differ', () => {
    const { build, rootOf, find, diff } = forest()
    const note = digestText('{"reviewed":true}')
    const root = build(story)
    const noted = rootOf(root, [
      { path: 'run.sh', annotations: note },
      { path: 'docs', annotations: note },
      { path: '', annotations: note },
    ])
    expect(diff(root, noted).map(({ path, kind }) => [path, kind])).toEqual([
      ['', 'annotations'],
      ['docs', 'annotations'],
      ['run.sh', 'annotations'],
    ])
    const written = rootOf(noted, changesOf({ 'run.sh': file('other'), 'docs/a.md': file('other') }))
    expect(find(written, 'run.sh')?.annotations).toBe(note)
    expect(diff(noted, written).map(({ kind }) => kind)).toEqual(['changed', 'changed'])
    const cleared = rootOf(
      noted,
      ['run.sh', 'docs', ''].map(path => ({ path, annotations: null })),
    )
    expect(cleared).toBe(root)
  })

  it('lists a folder or all below it', () => {
    const { build, list } = forest()
    const root = build(story)
    const paths = (listing: Partial<Listing>) => {
      const listed = list(root, listing)
      return listed.ok ? listed.entries.map(({ path }) => path) : listed.code
    }
    expect(paths({})).toEqual(['docs', 'run.sh'])
    expect(paths({ path: 'docs', scope: 'subtree' })).toEqual(['docs/a.md', 'docs/sub', 'docs/sub/b.md'])
    expect([paths({ path: 'nowhere' }), paths({ path: 'run.sh' })]).toEqual(['path_missing', 'path_is_file'])
  })
})

describe('a node', () => {
  const name = digestText('x')
  const entry = { name: 'a', kind: 'file', digest: name, size: 1, mode: '0644' }
  const text = (node: object) => JSON.stringify(node)
  it.each([
    ['no JSON', '{'],
    ['another kind', text({ $node: 'list', entries: [] })],
    ['entries out of order', text({ $node: 'tree', entries: [{ ...entry, name: 'b' }, entry] })],
    ['a name twice', text({ $node: 'tree', entries: [entry, entry] })],
    ['a name that leads out', text({ $node: 'tree', entries: [{ ...entry, name: '..' }] })],
    ['a name that stands for a way out', text({ $node: 'tree', entries: [{ ...entry, name: '~2E2E' }] })],
    ['a digest that is none', text({ $node: 'tree', entries: [{ ...entry, digest: 'sha256:x' }] })],
    ['a mode that runs as somebody else', text({ $node: 'tree', entries: [{ ...entry, mode: '4755' }] })],
  ])('is refused with %s', (_, given) => expect(readNode(given)).toBeNull())

  it('is read when it is one', () => expect(readNode(text({ $node: 'tree', entries: [entry] }))?.entries).toEqual([entry]))
})
