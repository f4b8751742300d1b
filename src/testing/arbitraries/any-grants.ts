// Grants and questions to them, of few names, so that they often meet. They know no answer.
import fc from 'fast-check'
import type { Json } from '../../core/digest/digest.ts'
import type { Grant, GrantQuestion } from '../../core/gate/grants.ts'

const names = fc.uniqueArray(fc.constantFrom('a', 'ab', 'a*', 'b', '*'), { maxLength: 3 })
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
const values = fc.constantFrom<Json>('docs/a', 'docs/b/c', 'Docs/a', '../x', '/docs', 'src/a', 'a', 1, true, null, ['docs/a'], { y: 'a' })
const patterns = fc.array(fc.constantFrom<string | number | boolean>('docs/*', 'docs/**', '**', 'a*', 'src/a', 1, true), {
  minLength: 1,
  maxLength: 3,
})
export const anyGrant = fc
  .record({
    tools: names,
    tenants: maybe(names),
    agents: maybe(names),
    roles: maybe(names),
    modes: maybe(fc.subarray(['planning' as const, 'implementation' as const], { minLength: 1 })),
    arguments: maybe(fc.dictionary(fc.constantFrom('x', 'x.y', 'z'), patterns, { maxKeys: 2 })),
    approval: maybe(fc.constantFrom(true, false, { by: ['cli:ana'] })),
    deny: maybe(fc.boolean()),
  })
  .map(grant => Object.fromEntries(Object.entries(grant).filter(([, value]) => value !== undefined)) as unknown as Grant)
export const anyQuestion: fc.Arbitrary<GrantQuestion> = fc.record({
  tool: fc.constantFrom('a', 'ab', 'b'),
  tenant: fc.constantFrom('a', 'b'),
  agent: fc.constantFrom('a', 'ab'),
  role: fc.constantFrom(null, 'a', 'b'),
  mode: fc.constantFrom(null, 'planning' as const, 'implementation' as const),
  arguments: fc.dictionary(fc.constantFrom('x', 'z'), values, { maxKeys: 2 }),
})
export const anyGrants = fc.array(anyGrant, { maxLength: 5 })
