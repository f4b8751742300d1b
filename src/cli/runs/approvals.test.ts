// Tests the page of an approval: it shows everything that the decision needs, and no line breaks the terminal.
import { expect, it } from 'vitest'
import type { AskedApproval } from '../../wire/onbook/runs.ts'
import { approvalText } from './approvals.ts'

const ASKED = { approval: 'approval_1', askedAt: '2026-01-01T00:00:00.000Z', runId: 'run_1', nodeId: 'coder', session: 'desk' }

const tool = (terms: object): AskedApproval => ({
  ...ASKED,
  wants: {
    kind: 'tool',
    call: '1',
    tool: 'write_file',
    arguments: { content: '\u001b[2J'.repeat(100) },
    reason: 'a person has to approve it: grant 1 names it',
    by: null,
    expiresAt: null,
    ...terms,
  },
})

it('says who asks for what and why, until when, and who may answer', () => {
  const text = approvalText(tool({ arguments: { path: 'a' }, by: ['key:boss', 'cli:root'], expiresAt: Date.UTC(2026, 0, 2) }))
  expect(text.split('\n')).toEqual([
    'approval_1',
    '  of       run_1, node coder in session desk',
    '  wants    write_file {"path":"a"}',
    '  because  a person has to approve it: grant 1 names it',
    '  asked    2026-01-01T00:00:00.000Z, until 2026-01-02T00:00:00.000Z',
    '  for      key:boss, cli:root',
    '',
  ])
})

it('clips what is long, and shows nothing that a terminal would act on', () => {
  const text = approvalText(tool({}))
  for (const line of text.split('\n')) expect(line.length).toBeLessThan(120)
  expect(text).not.toMatch(/(?!\n)\p{Cc}/u)
  expect(text).toContain('…\n')
})

it('of another mode has no end, and is for anybody who may answer', () => {
  const text = approvalText({ ...ASKED, session: null, wants: { kind: 'mode', mode: 'implementation', reason: 'The plan is ready.' } })
  expect(text).toContain('  wants    mode implementation\n  because  The plan is ready.\n  asked    2026-01-01T00:00:00.000Z\n')
  expect(text).toContain('  for      every key that may answer approvals\n')
})
