// Tests snapshots and bundles as a source of prompts without a host.
import fc from 'fast-check'
import semver from 'semver'
import { describe, expect, it } from 'vitest'
import type { Bundle } from '../wire/onbook/bundle.ts'
import type { PromptTemplate } from '../wire/onbook/prompts.ts'
import { createClient } from './client.ts'
import { compareVersions, offlineSource } from './offline.ts'

it('orders versions as semver does', () => {
  const number = fc.constantFrom('0', '1', '2', '9', '10', '100')
  const identifier = fc.constantFrom('0', '1', '2', '10', 'alpha', 'beta', 'rc', '1a', '-')
  const version = fc
    .tuple(number, number, number, fc.option(fc.array(identifier, { minLength: 1, maxLength: 3 })), fc.option(fc.constantFrom('b1', '7.x')))
    .map(([a, b, c, pre, build]) => `${a}.${b}.${c}${pre === null ? '' : `-${pre.join('.')}`}${build === null ? '' : `+${build}`}`)
  fc.assert(
    fc.property(version, version, (a, b) => Math.sign(compareVersions(a, b)) === semver.compare(a, b)),
    { numRuns: 2_000 },
  )
})

it.each([{ templates: 1 }, { kind: 'prompt', name: 'vendor.acme.prompts' }, { kind: 'node', prompts: [] }, 'null', 'pack.json'])(
  'refuses %j, which is neither a snapshot nor a bundle',
  given => expect(() => offlineSource(given as never)).toThrow(expect.objectContaining({ code: 'snapshot_invalid' })),
)

describe('from a bundle, when the host is gone', () => {
  const prompt = (version: string): PromptTemplate => ({ templateId: 'writer', version, kind: 'system', text: version })
  const bundle: Bundle = { kind: 'prompt', name: 'vendor.acme.prompts', version: '2.0.0', prompts: [prompt('1.9.0'), prompt('1.10.0')] }
  const libraryId = bundle.name
  const gone = { url: 'http://127.0.0.1:1', retries: 0 }

  it.each([
    ['JSON', bundle],
    ['text', JSON.stringify(bundle)],
  ])('given as %s it answers, and says that nobody confirmed it', async (_, offline) => {
    const { prompts } = createClient({ ...gone, offline })
    const { template, freshness } = await prompts.get('prompt:writer')
    expect(template).toEqual({ ...prompt('1.10.0'), meta: { source: 'pack', packName: libraryId, packVersion: '2.0.0' } })
    expect(freshness).toMatchObject({ source: 'offline', ageMs: null, stale: true, error: { code: 'host_unreachable' } })
    expect((await prompts.get({ templateId: 'writer', libraryId })).template.version).toBe('1.10.0')
    expect(await prompts.get('prompt:writer@1.9.0')).toMatchObject({ template: { text: '1.9.0' }, freshness: { stale: true } })
  })

  it('answers without asking only for the library that it is', async () => {
    const { prompts } = createClient({ ...gone, offline: bundle })
    const pinned = { templateId: 'writer', version: '1.9.0' }
    expect((await prompts.get({ ...pinned, libraryId })).freshness).toMatchObject({ source: 'offline', stale: false })
    const refs = [{ ...pinned, libraryId: 'vendor.other.prompts' }, 'prompt:writer@production', 'prompt:writer@3.0.0', 'prompt:other']
    for (const ref of refs) await expect(prompts.get(ref)).rejects.toMatchObject({ code: 'host_unreachable' })
  })
})
