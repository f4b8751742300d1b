// The version that a recorded ref would lead to under a proposal: by version, by label, by neither.
import { expect, it } from 'vitest'
import type { MeantBy } from '../../core/library/meant.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import type { Found } from '../../core/resolve/resolve.ts'
import { editedRow, type LibraryPlace } from '../library/edited-lookup.ts'
import { moveKey, type Proposal } from './proposal.ts'
import { proposedFound } from './proposed-causes.ts'

const LIBRARY = { tenant: 'acme', libraryId: 'onbook' } as LibraryPlace
const template = (version: string, text: string): LibraryTemplate => ({ templateId: 'house', version, kind: 'system', text })
const [OLD, OTHER, NEWER] = [template('1.0.0', 'Old.'), template('1.0.0', 'Other.'), template('1.1.0', 'Newer.')]
const ELSEWHERE = template('2.0.0', 'Elsewhere.')
const proposalOf = (moves: readonly (readonly [label: string, to: string])[], ...templates: readonly LibraryTemplate[]) =>
  ({
    library: LIBRARY,
    moves: new Map(moves.map(([label, to]) => [moveKey('house', label), to])),
    published: [editedRow(LIBRARY, ELSEWHERE)],
    templates: templates.map(one => ({ template: one, row: editedRow(LIBRARY, one), file: '' })),
  }) as unknown as Proposal
const found = (one: LibraryTemplate, meant: MeantBy, libraryId = 'onbook'): Found => {
  const { templateId, version, digest } = editedRow(LIBRARY, one)
  return { status: 'found', template: { libraryId, templateId, version, digest }, meant }
}

const MISSING: Found = { status: 'missing' }
const ref = { templateId: 'house', version: null, libraryId: null, label: null, variableOverrides: null }
const pinned = { ...ref, version: '1.0.0' }
const labelled = { ...ref, label: 'live' }

it.each([
  ['a newer version, for a ref to the newest', ref, found(OLD, 'newest'), [], [NEWER], found(NEWER, 'newest')],
  ['an older version does not win', ref, found(NEWER, 'newest'), [], [OLD], found(NEWER, 'newest')],
  ['a newer version that is not active', ref, found(OLD, 'active'), [], [NEWER], found(OLD, 'active')],
  ['a newer version that becomes active', ref, found(OLD, 'active'), [['active', '1.1.0']], [NEWER], found(NEWER, 'active')],
  ['another text under the active version', ref, found(OLD, 'active'), [], [OTHER, NEWER], found(OTHER, 'active')],
  ['a newer version, for a ref that is pinned', pinned, found(OLD, 'version'), [['active', '1.1.0']], [NEWER], found(OLD, 'version')],
  ['another text under the version that is pinned', pinned, found(OLD, 'version'), [], [OTHER, NEWER], found(OTHER, 'version')],
  ['a newer version, for a label', labelled, found(OLD, 'label'), [], [NEWER], found(OLD, 'label')],
  ['another text under the version that a label stood for', labelled, found(OLD, 'label'), [], [OTHER], found(OTHER, 'label')],
  ['a label that moves', labelled, found(OLD, 'label'), [['live', '1.1.0']], [NEWER], found(NEWER, 'label')],
  ['a label that moves to a version of the library', labelled, found(OLD, 'label'), [['live', '2.0.0']], [], found(ELSEWHERE, 'label')],
  ['another label that moves', labelled, found(OLD, 'label'), [['other', '1.1.0']], [NEWER], found(OLD, 'label')],
  ['a version that was missing', pinned, MISSING, [], [OLD], found(OLD, 'version')],
  ['a label that stood for nothing', labelled, MISSING, [], [OLD], { status: 'missing', labels: [], versions: ['1.0.0'] }],
  ['the same again', ref, found(OLD, 'newest'), [], [OLD], found(OLD, 'newest')],
  [
    'a library that has it already',
    ref,
    found(OLD, 'newest', 'press'),
    [],
    [NEWER],
    { status: 'ambiguous', libraries: ['onbook', 'press'] },
  ],
] as const)('%s', (_, asked, was, moves, templates, is) => {
  expect(proposedFound(proposalOf(moves, ...templates), asked, was)).toMatchObject(is)
})
