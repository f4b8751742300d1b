// Tests the parsing of a role file, and every mistake that it can contain.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { authorize, type GateFacts } from '../gate/authorize.ts'
import { readRequest } from './requests.ts'
import { readRole } from './role.ts'
import { roleNameProblem } from './role-name.ts'

const BODY = '## Identity\n\nYou are.\n\n## Responsibilities\n\nDo.\n\n## Constraints\n\nDo not.\n\n## Output style\n\nShort.\n'
const withHead = (lines: string) => `[template]\n${lines}\n\n${BODY}`
const said = (text: string, name = 'critic') =>
  readRole(text, name).problems.map(({ severity, message, position: { line, column } }) => `${severity} ${line}:${column} ${message}`)
const roleOf = (text: string, name = 'critic') => {
  const read = readRole(text, name)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.role
}

describe('a role', () => {
  it('has what its head says, and text without the head', () => {
    const raw = withHead('name = "critic"\nversion = "2"\ncapabilities = ["read_repo", "tool:search"]\nconstraints = ["be kind"]')
    expect(readRole(raw, 'critic')).toEqual({
      ok: true,
      role: { name: 'critic', version: '2', requests: ['read_repo', 'tool:search'], constraints: ['be kind'], text: BODY, raw },
      problems: [],
    })
  })

  it('without a head requests nothing', () => {
    expect(roleOf(BODY)).toEqual({ name: 'critic', version: '1', requests: [], constraints: [], text: BODY, raw: BODY })
  })

  it('that asks anywhere but in its head requests nothing', () => {
    expect(roleOf(`${BODY}\n[template]\ncapabilities = ["edit_code"]\n`).requests).toEqual([])
    expect(roleOf(withHead('[other]\ncapabilities = ["edit_code"]')).requests).toEqual([])
  })

  it('cannot call itself by another name', () => {
    expect(readRole(withHead('name = "orchestrator"'), 'critic').ok).toBe(false)
  })
})

const SECTIONS = ['Identity', 'Responsibilities', 'Constraints', 'Output style']

describe('the file of a role is found to have', () => {
  const cases: readonly [what: string, text: string, ...expected: string[]][] = [
    ['another name in its head', withHead('name = "editor"'), 'error 2:8 The head says "name" is "editor", the file critic'],
    ['a list for a name', withHead('name = ["critic"]'), 'error 2:8 "name" must be text'],
    ['a flag for a version', withHead('version = true'), 'error 2:11 "version" must be text'],
    ['a blank version', withHead('version = " "'), 'error 2:11 "version" is empty'],
    ['text for requests', withHead('capabilities = "read_repo"'), 'error 2:16 "capabilities" must be a list of texts'],
    ['a flag for constraints', withHead('constraints = false'), 'error 2:15 "constraints" must be a list of texts'],
    ['a misspelt key', withHead('capabilites = ["read_repo"]'), 'warning 2:1 Nothing reads "capabilites"'],
    ['another table', withHead('[other]\nname = true'), 'warning 2:1 Nothing reads a table [other]'],
    [
      'several mistakes, told in its order',
      withHead('[other]\nname = 1'),
      'warning 2:1 Nothing reads a table [other]',
      'error 3:8 A value is text in quotes, true, false, or a list of texts in brackets',
    ],
    [
      'a request that the gate does not know',
      withHead('capabilities = [\n  "read_repo",\n  "read_repos",\n]'),
      'warning 4:3 The gate knows no request "read_repos": it asks for nothing',
    ],
    ['a request twice', withHead('capabilities = ["read_repo", "read_repo"]'), 'warning 2:30 "read_repo" is requested twice'],
    ['nothing in it', '', 'error 1:1 The role says nothing to the model'],
    ['nothing behind its head', '[template]\n\n  \n', 'error 4:1 The role says nothing to the model'],
    ['no section Constraints', BODY.replace('## Constraints', '## Limits'), 'warning 1:1 The section Constraints is missing'],
    ['no Identity behind its head', withHead('').replace('## Identity', '## Who'), 'warning 4:1 The section Identity is missing'],
    ['an empty section', withHead('').replace('Do.\n', ''), 'warning 8:1 The section Responsibilities is empty'],
    ['sections in code only', `\`\`\`\n${BODY}\`\`\`\n`, ...SECTIONS.map(name => `warning 1:1 The section ${name} is missing`)],
    ['nothing wrong, with Output expectations', BODY.replace('Output style', 'Output expectations')],
    ['nothing wrong, with numbers and capitals', BODY.replace('## Identity', '# 1. IDENTITY')],
  ]
  it.each(cases)('%s', (_, text, ...expected) => {
    expect(said(text)).toEqual(expected)
  })
})

describe('a name', () => {
  it.each(['planner', 'a', '0', 'code-reviewer_2', 'console', 'com', 'lpt10', 'a'.repeat(64)])('can be %s', name => {
    expect(roleNameProblem(name)).toBeNull()
    expect(roleOf(BODY, name).name).toBe(name)
  })

  it.each([
    ...['', '.', '..', '../x', 'a/b', 'a\\b', '/etc', 'C:', 'a.md', '~', '-x', '_x', 'a b', 'a\n', 'a\0', 'é', 'Planner', 'plаnner', '%2e'],
    ...['con', 'prn', 'aux', 'nul', 'com0', 'com1', 'lpt9', 'a'.repeat(65)],
  ])('cannot be %j', name => {
    expect(roleNameProblem(name)).not.toBeNull()
    expect(said(BODY, name)).toEqual([`error 1:1 ${roleNameProblem(name)}`])
  })
})

describe('a request', () => {
  const refused: readonly [text: string, suggestion: string | undefined][] = [
    ['run_command', 'write "run_commands"'],
    ['Read_Repo', 'write "read_repo"'],
    ['spawn_nodes', 'write "edge_management_all"'],
    ['write_tests', 'write "edit_code"'],
    [
      'toString',
      'request one of run_commands, read_repo, edit_code, write_docs, edge_management_self, edge_management_all, or tool:<name>',
    ],
    ['tool:', undefined],
    ['tool:a b', undefined],
    ['tool:command', 'write "run_commands"'],
    ['tool:list_files', 'write "read_repo"'],
    ['tool:send_handoff', 'leave it out: it needs no request'],
  ]
  it.each(refused)('%j is not known to the gate', (text, suggestion) => {
    expect(readRequest(text)).toEqual({ ok: false, message: expect.any(String), ...(suggestion === undefined ? {} : { suggestion }) })
    expect(roleOf(withHead(`capabilities = [${JSON.stringify(text)}]`)).requests).toEqual([])
  })

  it('is what the gate asks a role for', () => {
    const facts: Omit<GateFacts, 'role'> = {
      ...{ problem: null, visible: true, bound: true, node: null, mode: null, allowListed: false, ownEdge: true, orchestratorAsks: false },
      grant: { granted: true, reason: 'so', approval: false },
      approval: 'approved',
    }
    const calls = ['command', 'read_file', 'write_file', 'spawn_node', 'create_edge', 'search'].map(name => ({ name, arguments: {} }))
    const allowed = (requests: string) => {
      const role = roleOf(withHead(`capabilities = ${requests}`))
      return calls.filter(call => authorize(call, { ...facts, role }).decision === 'allowed').map(({ name }) => name)
    }
    expect(allowed('[]')).toEqual([])
    expect(allowed('["run_commands", "tool:search"]')).toEqual(['command', 'search'])
    expect(allowed('["edge_management_self"]')).toEqual(['create_edge'])
    expect(allowed('["edge_management_all", "read_repo"]')).toEqual(['read_file', 'spawn_node', 'create_edge'])
  })
})

const fragment = fc.constantFrom(
  ...['[template]', '[', ']', '"', "'", '\\', '=', ',', '#', '\n', '\r\n', '\n\n', ' ', '\t', '\uFEFF', '"""', '---', '{{', '```', 'true'],
  ...[
    'name',
    'version',
    'capabilities',
    'constraints',
    '"read_repo"',
    'tool:',
    '\\u12',
    '## Identity',
    'Output style:',
    'é',
    '\ud800',
    '\0',
  ],
)
const anyFile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fragment, { maxLength: 40, size: 'max' }).map(all => all.join('')),
  fc.array(fragment, { maxLength: 40, size: 'max' }).map(all => `[template]\n${all.join('')}`),
)

it('any text is read without a throw, every position lies in it, and the model gets the end of it', () => {
  fc.assert(
    fc.property(anyFile, text => {
      const read = readRole(text, 'critic')
      const lines = text.split('\n')
      for (const { position } of read.problems) {
        expect(lines[position.line - 1]?.length).toBeGreaterThanOrEqual(position.column - 1)
        expect(position.column).toBeGreaterThanOrEqual(1)
      }
      expect(read.ok).toBe(read.problems.every(({ severity }) => severity !== 'error'))
      if (!read.ok) return
      expect(read.role.raw).toBe(text)
      expect(text.endsWith(read.role.text)).toBe(true)
      // The parser removes only the head, and nothing that a model should see.
      if (!text.includes('[template]')) expect(read.role.text).toBe(text.replace(/^\uFEFF/, ''))
    }),
    { numRuns: 2000 },
  )
})
