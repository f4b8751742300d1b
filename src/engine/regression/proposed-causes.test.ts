// What a ref on record would lead to under a proposal: by version, by label, by neither.
import { expect, it } from 'vitest'
import type { LibraryTemplate } from '../../core/library/template.ts'
import type { Found } from '../../core/resolve/resolve.ts'
import { editedRow, type LibraryPlace } from '../library/edited-lookup.ts'
import type { Proposal } from './proposal.ts'
import { proposedFound } from './proposed-causes.ts'

const LIBRARY = { tenant: 'acme', libraryId: 'onbook' } as LibraryPlace
const template = (version: string, text: string): LibraryTemplate => ({ templateId: 'house', version, kind: 'system', text })
const proposalOf = (...templates: readonly LibraryTemplate[]) =>
  ({
    library: LIBRARY,
    templates: templates.map(one => ({ template: one, row: editedRow(LIBRARY, one), file: '' })),
  }) as unknown as Proposal
const found = (one: LibraryTemplate, libraryId = 'onbook'): Found => {
  const { templateId, version, digest } = editedRow(LIBRARY, one)
  return { status: 'found', template: { libraryId, templateId, version, digest } }
}

const [OLD, OTHER, NEWER] = [template('1.0.0', 'Old.'), template('1.0.0', 'Other.'), template('1.1.0', 'Newer.')]
const MISSING: Found = { status: 'missing' }
const ref = { templateId: 'house', version: null, libraryId: null, label: null, variableOverrides: null }
const pinned = { ...ref, version: '1.0.0' }
const labelled = { ...ref, label: 'live' }

it.each([
  ['a newer version, for a ref without one', ref, found(OLD), [NEWER], found(NEWER)],
  ['an older version does not win', ref, found(NEWER), [OLD], found(NEWER)],
  ['a newer version, for a ref that is pinned', pinned, found(OLD), [NEWER], found(OLD)],
  ['another text under the version that is pinned', pinned, found(OLD), [OTHER, NEWER], found(OTHER)],
  ['a newer version, for a label', labelled, found(OLD), [NEWER], found(OLD)],
  ['another text under the version that a label stood for', labelled, found(OLD), [OTHER], found(OTHER)],
  ['a version that was missing', pinned, MISSING, [OLD], found(OLD)],
  ['a label that stood for nothing', labelled, MISSING, [OLD], { status: 'missing', labels: [], versions: ['1.0.0'] }],
  ['the same again', ref, found(OLD), [OLD], found(OLD)],
  ['a library that has it already', ref, found(OLD, 'press'), [NEWER], { status: 'ambiguous', libraries: ['onbook', 'press'] }],
] as const)('%s', (_, asked, was, templates, is) => {
  expect(proposedFound(proposalOf(...templates), asked, was)).toMatchObject(is)
})
