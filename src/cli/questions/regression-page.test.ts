// Tests the regression page: failures first, one example for each cause, and no control characters.
import { expect, it } from 'vitest'
import { type AskedAgainst, regressionPage } from './regression-page.ts'

const NOTHING: AskedAgainst = {
  against: { workspace: 'desk', version: 3, root: 'sha256:00' },
  runs: 1,
  prompts: 2,
  unchanged: 2,
  changed: 0,
  failing: 0,
  gone: 0,
  untold: 0,
  workspaces: ['desk'],
  unreached: [],
  unsound: 0,
  unsoundRuns: [],
  causes: [],
}
const PLACE = { runId: 'r1', nodeId: 'writer', visit: 2, step: 1 }

it('a proposal that changes nothing', () => {
  expect(regressionPage(NOTHING, false)).toBe('2 prompts of 1 run, made again with version 3 of desk in place:\n  = 2 stay as they are\n')
})

it('a new version that changes nothing yet, and how to see what it would change', () => {
  const unreached = [
    { templateId: 'house', version: '1.1.0', file: 'prompts/house/v1.1.0.yaml', label: 'active', stays: '1.0.0' },
    { templateId: 'house', version: '1.1.0', file: 'prompts/house/v1.1.0.yaml', label: 'live', stays: '1.0.0' },
  ]
  expect(
    regressionPage({ ...NOTHING, unreached }, false)
      .split('\n')
      .slice(2),
  ).toEqual([
    '  ! house 1.1.0 changes nothing yet: the label active stays at 1.0.0  prompts/house/v1.1.0.yaml',
    '    To see what it would change, add --activate house@1.1.0',
    '  ! house 1.1.0 changes nothing yet: the label live stays at 1.0.0  prompts/house/v1.1.0.yaml',
    '    To see what it would change, add --label house@live=1.1.0',
    '',
  ])
})

it('labels alone', () => {
  const page = regressionPage({ ...NOTHING, against: { root: 'sha256:00', moved: ['house@live=1.1.0'] } }, false)
  expect(page).toContain('2 prompts of 1 run, made again with house@live=1.1.0:')
})

it('every cause with its example, and the runs that were left out', () => {
  const failing =
    'variable_missing: a sentence that goes on and on, until it is longer than any terminal is wide, and then for a little while'
  const page = regressionPage(
    {
      ...NOTHING,
      against: { workspace: 'desk', folder: './branch', root: 'sha256:00' },
      changed: 1,
      failing: 1,
      unchanged: 0,
      unsound: 2,
      older: 7,
      unsoundRuns: [{ runId: 'r9', problem: 'event 3: the prompt differs' }],
      causes: [
        {
          cause: 'template',
          name: 'house',
          file: 'prompts/house/v2.0.0.yaml',
          from: '1.0.0',
          to: '2.0.0',
          runs: 1,
          prompts: 2,
          failing: 1,
          gone: 0,
          untold: 0,
          examples: [{ ...PLACE, block: null, span: null, expected: null, found: failing, lines: [] }],
        },
        {
          cause: 'template',
          name: 'strict',
          from: '1.0.0',
          to: '1.0.0',
          sameVersion: true,
          runs: 1,
          prompts: 1,
          failing: 0,
          gone: 0,
          untold: 0,
          examples: [
            {
              ...PLACE,
              visit: 1,
              block: 'role',
              layer: 'node',
              template: 'prompt:strict@1.0.0',
              variable: 'tone',
              span: { start: 0, end: 4 },
              expected: 'calm',
              found: '\u001b[31m',
              lines: ['- calm', '+ \u001b[31m'],
            },
          ],
        },
        {
          cause: 'workflow',
          name: 'story',
          part: 'nodes/critic',
          from: 'sha256:01',
          to: 'sha256:02',
          runs: 1,
          prompts: 1,
          failing: 1,
          gone: 0,
          untold: 0,
          examples: [],
        },
      ],
    },
    false,
  )
  expect(page).toBe(`2 prompts of 1 run, made again with ./branch in place of desk:
  ✗ 1 could not be composed
  ≠ 1 would change
  = 0 stay as they are
  7 older runs not looked at

By cause. A prompt is listed under every cause that changes it.

✗ template house: 1.0.0 → 2.0.0  prompts/house/v2.0.0.yaml
  2 prompts in 1 run, 1 of which could not be composed
  r1, writer, visit 2, step 1
    variable_missing: a sentence that goes on and on, until it is longer than any terminal is
    wide, and then for a little while

≠ template strict 1.0.0: another text under the same version
  1 prompt in 1 run
  r1, writer, step 1: block role, prompt:strict@1.0.0 (node), tone
    - calm
    + ␛[31m

✗ workflow story, node critic
  1 prompt in 1 run, none of which could be composed

2 runs left out, because the record is not what it was when they ran:
  r9: event 3: the prompt differs
  and 1 more
`)
})

it('what is gone, what nobody can tell, and what was not compared', () => {
  const count = { runs: 1, from: 'sha256:01', to: 'sha256:02', failing: 0, gone: 0, untold: 0 }
  const example = { ...PLACE, visit: 1, span: null, expected: null, lines: [] }
  const page = regressionPage(
    {
      ...NOTHING,
      unchanged: 0,
      gone: 1,
      untold: 1,
      workspaces: ['other'],
      causes: [
        {
          ...count,
          cause: 'workflow',
          name: 'story',
          part: 'nodes/critic',
          prompts: 1,
          gone: 1,
          examples: [{ ...example, block: null, found: 'node_disabled: node critic is switched off' }],
        },
        { ...count, cause: 'agent', name: 'writer', prompts: 2, untold: 1, examples: [{ ...example, block: 'tools', found: null }] },
      ],
    },
    false,
  )
  expect(page).toBe(`2 prompts of 1 run, made again with version 3 of desk in place:
  – 1 would no longer be there
  ? 1 cannot be determined from the record
  = 0 stay as they are
  Preludes and catalogs were not compared: they are of other, and none of desk

By cause. A prompt is listed under every cause that changes it.

– workflow story, node critic
  1 prompt in 1 run, which would no longer be there
  r1, writer, step 1
    node_disabled: node critic is switched off

≠ agent writer
  2 prompts in 1 run, 1 of which cannot be determined: the record does not contain the host's own tools
  r1, writer, step 1: tools
`)
})
