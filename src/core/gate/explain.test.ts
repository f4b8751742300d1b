// Tests that an explanation predicts the decision of the gate.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyGrants, anyQuestion } from '../../testing/arbitraries/any-grants.ts'
import type { Json } from '../digest/digest.ts'
import { authorize, type GateFacts } from './authorize.ts'
import { explainCall, type ProspectiveCall } from './explain.ts'
import { type Grant, grantOf } from './grants.ts'
import { DEFAULT_POLICY, type HostPolicy } from './host-policy.ts'

const policyOf = (...grants: readonly Grant[]): HostPolicy => ({ ...DEFAULT_POLICY, grants })
const WRITER: ProspectiveCall = { tool: 'write_file', tenant: 'acme', agent: 'writer', role: null, node: null, mode: null }
const outcomes = (explained: ReturnType<typeof explainCall>) =>
  Object.fromEntries(explained.conditions.map(({ condition, outcome }) => [condition, outcome]))

describe('a call that nobody has made', () => {
  const policy = policyOf(
    { tools: ['read_file'] },
    { tools: ['write_file'], tenants: ['umbrella'] },
    { tools: ['*'], agents: ['critic'] },
    { tools: ['write_file'], roles: ['implementer'] },
    { tools: ['write_file'], arguments: { path: ['docs/**'] } },
    { tools: ['write_file'], approval: { by: ['cli:ana'] } },
    { tools: ['*'] },
  )

  it('is told what each grant that names the tool lacked, which decides, and where it stands', () => {
    const { decision, grants, asks } = explainCall(policy, { ...WRITER, arguments: { path: 'src/a.ts' } }, [2, 3, 4, 5, 6, 7, 8])
    expect(decision).toBe('waiting')
    expect(asks).toEqual({ by: ['cli:ana'], expireAfterMs: 86_400_000 })
    expect(grants).toEqual([
      { grant: 3, line: 4, outcome: 'lacks', reason: 'it is not for writer' },
      { grant: 4, line: 5, outcome: 'lacks', reason: 'it is for roles, and there is none' },
      { grant: 5, line: 6, outcome: 'lacks', reason: 'it needs "path" to be "docs/**"' },
      { grant: 6, line: 7, outcome: 'decides', reason: 'it grants it, once a person has approved' },
      { grant: 7, line: 8, outcome: 'not_reached', reason: 'one before it has decided' },
    ])
  })

  it('knows what it is not told, and says so', () => {
    const unsaid = explainCall(policy, WRITER)
    expect(unsaid.decision).toBe('allowed')
    expect(outcomes(unsaid)).toMatchObject({
      well_formed: 'unknown',
      visible: 'unknown',
      bound: 'unknown',
      granted: 'passed',
      approved: 'unknown',
    })
    expect(unsaid.conditions[3]!.reason).toBe('grant 5 names it, for some arguments')
    expect(outcomes(explainCall(policyOf(policy.grants[4]!), WRITER)).granted).toBe('unknown')
    const said = { ...WRITER, arguments: { path: 'docs/a' }, problem: null, visible: true, bound: true }
    expect(Object.values(outcomes(explainCall(policy, said)))).not.toContain('unknown')
  })

  it('shows every condition, also those that would not be reached', () => {
    const call = {
      ...WRITER,
      visible: false,
      bound: false,
      role: { name: 'critic', requests: [] },
      arguments: { path: 'src/a' },
      problem: null,
    }
    expect(outcomes(explainCall(policyOf(), { ...call, mode: 'planning' }))).toEqual({
      well_formed: 'passed',
      visible: 'failed',
      bound: 'failed',
      granted: 'failed',
      requested: 'failed',
      node: 'not_applicable',
      mode: 'failed',
      approved: 'not_applicable',
    })
  })

  it('of a file that nobody has named may be one of the docs', () => {
    const planner = { ...WRITER, role: { name: 'planner', requests: ['write_docs'] }, mode: 'planning' } as const
    const { decision, ...explained } = explainCall(policyOf({ tools: ['*'] }), planner)
    expect(decision).toBe('allowed')
    expect(outcomes({ decision, ...explained })).toMatchObject({ requested: 'unknown', mode: 'unknown' })
    expect(explainCall(policyOf({ tools: ['*'] }), { ...planner, arguments: { path: 'src/a' } }).decision).toBe('refused')
  })

  it('tells a tenant nothing of the grants of others', () => {
    const { grants } = explainCall(policyOf({ tools: ['*'], tenants: ['umbrella'] }, { tools: ['*'] }), { ...WRITER, arguments: {} })
    expect(grants.map(({ grant }) => grant)).toEqual([2])
  })
})

const anyCall: fc.Arbitrary<ProspectiveCall & Pick<Required<ProspectiveCall>, 'arguments' | 'problem' | 'visible' | 'bound' | 'ownEdge'>> =
  fc
    .tuple(
      anyQuestion,
      fc.record({
        problem: fc.constantFrom(null, 'wrong'),
        visible: fc.boolean(),
        bound: fc.boolean(),
        ownEdge: fc.boolean(),
        reads: fc.boolean(),
        mode: fc.constantFrom(null, 'planning' as const, 'implementation' as const),
        requests: fc.subarray(['run_commands', 'edit_code', 'write_docs', 'tool:a', 'tool:ab', 'edge_management_self']),
        node: fc.option(
          fc.record({
            edgeManagement: fc.constantFrom('none' as const, 'self' as const, 'all' as const),
            writeCode: fc.boolean(),
            writeDocs: fc.boolean(),
            runCommands: fc.boolean(),
            delegateOnly: fc.boolean(),
            gated: fc.boolean(),
          }),
        ),
        tool: fc.option(fc.constantFrom('write_file', 'create_edge', 'command')),
      }),
    )
    .map(([{ role, ...question }, { requests, tool, ...more }]) => ({
      ...question,
      ...more,
      tool: tool ?? question.tool,
      role: role === null ? null : { name: role, requests },
    }))

describe('whatever is known', () => {
  const anyPolicy = fc
    .record({ grants: anyGrants, asks: fc.boolean() })
    .map(({ grants, asks }): HostPolicy => ({ ...DEFAULT_POLICY, grants, orchestrator: { asks } }))

  it('it says of a call what the gate says of it', () => {
    fc.assert(
      fc.property(anyPolicy, anyCall, (policy, call) => {
        const granting = grantOf(policy.grants, { ...call, role: call.role?.name ?? null })
        const facts: GateFacts = {
          ...call,
          grant: { ...granting, approval: granting.approval !== null },
          allowListed: false,
          orchestratorAsks: policy.orchestrator.asks,
          approval: 'unasked',
        }
        const verdict = authorize({ name: call.tool, arguments: call.arguments as Json }, facts)
        const explained = explainCall(policy, call)
        expect(explained.decision).toBe(verdict.decision)
        const reached = verdict.conditions.filter(({ outcome }) => outcome !== 'not_reached')
        expect(explained.conditions.slice(0, reached.length)).toEqual(reached)
        const deciding = explained.grants.find(({ outcome }) => outcome === 'decides')
        expect(granting.reason.startsWith(`grant ${deciding?.grant} `) && !granting.reason.includes('fit')).toBe(deciding !== undefined)
        if (explained.asks !== null && granting.approval !== null) expect(explained.asks.by).toEqual(granting.approval.by)
      }),
      { numRuns: 1_000 },
    )
  })

  it('nothing is said to fail, or to hold, that could turn out otherwise', () => {
    const UNSAID = ['problem', 'visible', 'bound', 'ownEdge', 'reads'] as const
    fc.assert(
      fc.property(anyPolicy, anyCall, fc.subarray([...UNSAID]), (policy, call, unsaid) => {
        const less = Object.fromEntries(
          Object.entries(call).filter(([name]) => !unsaid.some(one => one === name)),
        ) as unknown as ProspectiveCall
        const [known, guessed] = [explainCall(policy, call), explainCall(policy, less)]
        for (const [index, { outcome }] of guessed.conditions.entries())
          if (outcome === 'passed' || outcome === 'failed') expect(known.conditions[index]!.outcome).toBe(outcome)
        if (guessed.decision === 'refused') expect(known.decision).toBe('refused')
      }),
      { numRuns: 1_000 },
    )
  })
})
