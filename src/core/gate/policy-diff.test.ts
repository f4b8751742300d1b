import { expect, it } from 'vitest'
import { changeLines } from './policy-diff.ts'

it('shows of a list what was put in, taken out and moved, in its order', () => {
  const [read, write, all] = [{ tools: ['read_file'] }, { tools: ['write_file'], approval: true }, { tools: ['*'] }]
  expect(changeLines({ setting: 'grants', from: [read, all], to: [write, all, read] })).toEqual([
    'grants:',
    '- {"tools":["read_file"]}',
    '+ {"approval":true,"tools":["write_file"]}',
    '  {"tools":["*"]}',
    '+ {"tools":["read_file"]}',
  ])
})

it('shows of anything else both', () => {
  expect(changeLines({ setting: 'orchestrator.asks', from: true, to: false })).toEqual(['orchestrator.asks: true → false'])
  expect(changeLines({ setting: 'workspaces', from: null, to: [] })).toEqual(['workspaces: null → []'])
})
