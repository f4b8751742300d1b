// Nodes in a stream file, as the script that verifies one sees them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { verifyFile } from '../verify.mjs'
import { chain, digest, erased, inOrder, type Json, piece, pieces, STREAM, TENANT, textOf, whole } from './testing/oracles/stream-file.ts'

const LEAF = Buffer.from('a leaf')
const leaf = digest(LEAF)
const nodeOf = (links: Json, n: Json = 0) => Buffer.from(JSON.stringify({ $node: 'test', links, n }))
/** One that stands before, or after, a digest in the file. */
const placed = (links: Json, isRight: (name: string) => boolean) => {
  for (let n = 0; ; n++) if (isRight(digest(nodeOf(links, n)))) return nodeOf(links, n)
}
const [AFTER, BEFORE] = [placed(leaf, name => name > leaf), placed(leaf, name => name < leaf)]
const nest = (levels: number) => JSON.parse(`${'['.repeat(levels)}"${leaf}"${']'.repeat(levels)}`)
const ROOT = nodeOf({ deep: [digest(AFTER), digest(BEFORE)], seenHash: digest('nowhere') })
const TREE = [ROOT, AFTER, BEFORE, LEAF]
/** One event that speaks of `root`, and these objects. */
const fileOf = (root: Buffer, objects: readonly string[][]) => {
  const events = chain([{ root: digest(root) }])
  const header = { onbook: 'stream', v: 1, tenant: TENANT, stream: STREAM, events: 1, head: digest(events[0]!), checkpoints: 0 }
  return textOf({ header, events, checkpoints: [], objects: inOrder(objects) })
}
const folder = mkdtempSync(join(tmpdir(), 'onbook-nodes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const verifyText = (content: string | Buffer) => {
  writeFileSync(join(folder, 'stream.jsonl'), content)
  return verifyFile(join(folder, 'stream.jsonl'))
}
const of = (code: string, name: string) => ({ stream: STREAM, digest: name, code })
const breaksIn = async (root: Buffer, objects: readonly string[][]) => (await verifyText(fileOf(root, objects))).breaks
const changed = (bytes: Buffer) => [piece(digest(bytes), Buffer.from('changed').toString('base64'))]

describe('nodes', () => {
  it('speak of what stands before and after them', async () => {
    const report = await verifyText(fileOf(ROOT, TREE.map(whole)))
    expect(report).toMatchObject({ intact: true, objects: 4, breaks: [] })
    expect(await breaksIn(BEFORE, [BEFORE, LEAF].map(whole))).toEqual([])
    expect(await breaksIn(AFTER, [AFTER, LEAF].map(whole))).toEqual([])
  })

  it('may be cut anywhere', async () => {
    for (const size of [1, 5, 8, 9, 10, 100])
      expect(
        await breaksIn(
          ROOT,
          TREE.map(bytes => pieces(bytes, size)),
        ),
      ).toEqual([])
  })

  it.each([
    ['before', AFTER],
    ['after', BEFORE],
  ])('miss what is gone, changed or cut off %s them', async (_, node) => {
    expect(await breaksIn(node, [whole(node)])).toEqual([of('object_missing', leaf)])
    expect(await breaksIn(node, [whole(node), changed(LEAF)])).toEqual([of('object_corrupt', leaf)])
    expect(await breaksIn(node, [whole(node), pieces(LEAF, 3).slice(0, 1)])).toEqual([of('object_corrupt', leaf)])
    expect(await verifyText(fileOf(node, [whole(node), erased(leaf)]))).toMatchObject({ intact: true, objects: 2, erased: 1 })
  })

  it('say nothing when they are gone, changed or erased', async () => {
    expect(await breaksIn(AFTER, [whole(LEAF)])).toEqual([of('object_unknown', leaf), of('object_missing', digest(AFTER))])
    for (const other of [changed(AFTER), [piece(digest(AFTER), BEFORE.toString('base64'))]])
      expect(await breaksIn(AFTER, [other, whole(LEAF)])).toEqual([of('object_corrupt', digest(AFTER)), of('object_unknown', leaf)])
    expect(await breaksIn(AFTER, [erased(digest(AFTER)), whole(LEAF)])).toEqual([of('object_unknown', leaf)])
  })

  it('are known by how they begin, and say nothing where they are none', async () => {
    expect(await breaksIn(nodeOf(nest(99)), [whole(nodeOf(nest(99))), whole(LEAF)])).toEqual([])
    const full = nodeOf(leaf, 'x'.repeat((1 << 20) - nodeOf(leaf, '').length))
    expect(await breaksIn(full, [pieces(full, 1 << 19), whole(LEAF)])).toEqual([])
    const others = [
      ...[nodeOf({ leafHash: leaf }), nodeOf(nest(100)), nodeOf(leaf, 'x'.repeat(1 << 20)), Buffer.from(JSON.stringify({ leaf }))],
      ...[Buffer.from(` ${nodeOf(leaf)}`), Buffer.from(`${nodeOf(leaf)},`), Buffer.concat([nodeOf(leaf), Buffer.of(0xff)])],
    ]
    for (const other of others) expect(await breaksIn(other, [whole(other), whole(LEAF)])).toEqual([of('object_unknown', leaf)])
  })

  it('cannot have a bit flipped unnoticed', async () => {
    const bytes = Buffer.from(fileOf(ROOT, TREE.map(whole)))
    for (let i = 0; i < bytes.length; i += 3) {
      const copy = Buffer.from(bytes)
      copy[i] = copy[i]! ^ (1 << (i % 7))
      expect((await verifyText(copy)).intact, `byte ${i}`).toBe(false)
    }
  })
})
