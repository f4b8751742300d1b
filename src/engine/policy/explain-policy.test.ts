// An explanation of a call that a node of a run would make says what the gate would say.
import { afterEach, expect, it } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import { DEFAULT_POLICY, type HostPolicy } from '../../core/gate/host-policy.ts'
import { GRAPH_DESCRIPTORS } from '../../core/tools/graph-descriptors.ts'
import { sharedValidator } from '../../testing/shared-validator.ts'
import { type RunHouse, runHouse, TENANT } from '../../testing/stories/run-house.ts'
import { explainPolicy } from './explain-policy.ts'

const validator = sharedValidator()
let house: RunHouse
afterEach(async () => {
  await house.close()
  await house.store.close()
  await validator.close()
})

it('a person is asked before an orchestrator is spawned, and what cannot be spawned is refused', async () => {
  house = runHouse(() => new Promise(() => {}), { hostCatalog: Object.values(GRAPH_DESCRIPTORS) })
  await house.create({ id: 'w', objective: 'Lead.', nodes: [{ id: 'a', role: 'orchestrator' }] })
  await house.chat.until('a')
  const policy: HostPolicy = { ...DEFAULT_POLICY, grants: [{ tools: ['*'] }], orchestrator: { asks: false } }
  const parts = { store: house.store, validator, roles: null, bindings: new Map(), policy: { policy, lines: [] } }
  const node = { runId: 'r1', nodeId: 'a' }
  const decisionOn = async (given: Json) => (await explainPolicy(parts, TENANT, { tool: 'spawn_node', arguments: given, node })).decision
  expect(await decisionOn({ label: 'Boss', roleTemplate: 'orchestrator' })).toBe('waiting')
  expect(await decisionOn({ label: 'Scout', roleTemplate: 'investigator' })).toBe('allowed')
  expect(await decisionOn({ label: 'a\nb', roleTemplate: 'investigator' })).toBe('refused')
})
