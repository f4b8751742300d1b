import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LibraryTemplate } from '../library/template.ts'
import { readManifest } from './manifest.ts'
import { printManifest } from './print.ts'

const HEAD = { name: 'vendor.acme.prompts', version: '1.0.0' }
const anyTemplate: fc.Arbitrary<LibraryTemplate> = fc.record({
  templateId: fc.constantFrom('a', 'b', 'c.d', 'e-f'),
  version: fc.tuple(fc.nat(12), fc.nat(12)).map(([minor, patch]) => `1.${minor}.${patch}`),
  kind: fc.constantFrom('system' as const, 'user' as const),
  text: fc.string({ unit: 'grapheme' }).filter(text => !text.includes('{')),
})
const anyTemplates = fc.uniqueArray(anyTemplate, { minLength: 1, selector: ({ templateId, version }) => `${templateId}@${version}` })

it('the same templates give the same bytes, in whatever order they and their fields come', () => {
  fc.assert(
    fc.property(anyTemplates, fc.infiniteStream(fc.nat()), (templates, seeds) => {
      const shuffled = templates
        .map(template => ({ template, rank: seeds.next().value as number }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ template }) => Object.fromEntries(Object.entries(template).reverse()) as unknown as LibraryTemplate)
      const { name, version } = HEAD
      expect(printManifest({ version, name }, shuffled)).toBe(printManifest(HEAD, templates))
    }),
  )
})

it('what is printed can be read, and holds every template', () => {
  fc.assert(
    fc.property(anyTemplates, templates => {
      const { manifest, problems } = readManifest(new TextEncoder().encode(printManifest(HEAD, templates)), 65_536)
      expect(problems).toEqual([])
      expect(new Set(manifest?.prompts)).toEqual(new Set(templates))
    }),
  )
})
