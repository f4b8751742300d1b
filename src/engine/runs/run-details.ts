// The facts of a run that a list shows beside its status: agents, prompt versions and decisions about tool calls. One pass over its stream.
import { runEvent, runStream } from '../../core/run/events.ts'
import type { Store } from '../../ports.ts'

export interface RunDetails {
  /** Agents whose prompts were resolved, and sessions that nodes worked in; by first appearance. */
  readonly agents: readonly string[]
  /** Pinned refs of the system prompts that were sent, such as `writer@1.1.0`. */
  readonly prompts: readonly string[]
  /** Tool calls by the decision that counts: the last one. */
  readonly decisions: { readonly allowed: number; readonly denied: number; readonly waiting: number }
}

const NAMES = { allowed: 'allowed', refused: 'denied', waiting: 'waiting' } as const

export async function runDetails(store: Store, tenant: string, runId: string): Promise<RunDetails> {
  const [agents, prompts] = [new Set<string>(), new Set<string>()]
  const verdicts = new Map<string, keyof RunDetails['decisions']>()
  for await (const { event } of store.read(tenant, runStream(runId), -1)) {
    const fact = runEvent(event)
    if (fact.type === 'prompt.traced' && fact.agentId !== null) agents.add(fact.agentId)
    else if (fact.type === 'node.started' && fact.session !== null) agents.add(fact.session)
    else if (fact.type === 'prompt.composed' && fact.kind === 'system') prompts.add(fact.ref.replace(/^prompt:/, ''))
    else if (fact.type === 'call.judged') verdicts.set(`${fact.nodeId} ${fact.call}`, NAMES[fact.verdict.decision])
  }
  const count = (decision: string): number => [...verdicts.values()].filter(one => one === decision).length
  return {
    agents: [...agents],
    prompts: [...prompts],
    decisions: { allowed: count('allowed'), denied: count('denied'), waiting: count('waiting') },
  }
}
