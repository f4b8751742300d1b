// The shipped roles: whole, and asking for no more than their work needs.
import { describe, expect, it } from 'vitest'
import { readRole } from './role.ts'
import { shippedRoles } from './shipped-roles.ts'

const REQUESTS = {
  // A spawned node gets at most the requests of the orchestrator.
  orchestrator: ['edge_management_all', 'read_repo', 'write_docs', 'edit_code', 'run_commands'],
  planner: ['read_repo', 'write_docs'],
  implementer: ['read_repo', 'edit_code', 'run_commands'],
  reviewer: ['read_repo', 'run_commands'],
  investigator: ['read_repo'],
}

it('are these five', () => {
  expect([...shippedRoles.keys()]).toEqual(Object.keys(REQUESTS))
})

describe.each(Object.entries(REQUESTS))('%s', (name, requests) => {
  const read = readRole(shippedRoles.get(name)!, name)

  it('has no findings and requests exactly what it needs', () => {
    expect(read.problems).toEqual([])
    expect(read).toMatchObject({ ok: true, role: { name, version: name === 'orchestrator' ? '3' : '2', requests } })
  })

  it('has the four sections in order, nothing before them, and nothing of its head', () => {
    const text = read.ok ? read.role.text : ''
    expect(text.match(/^#.*$/gm)).toEqual(['## Identity', '## Responsibilities', '## Constraints', '## Output style'])
    expect(text.startsWith('## Identity\n')).toBe(true)
  })

  it('is short, and means the same on every host', () => {
    const text = read.ok ? read.role.text : ''
    expect(text.split(/\s+/).length).toBeLessThan(600)
    // Tags would be rendered, and a line that looks like a tool call might be taken for one.
    expect(text).not.toMatch(/\{\{|tool_call|\r|\t/)
  })
})
