// Runs for a test: a model that says what a script says, the tools that ship, and a store of the test's own.
import { randomUUID } from 'node:crypto'
import { scriptedChat } from '../../adapters/chat/scripted-chat.ts'
import type { Json } from '../../core/digest/digest.ts'
import { readWorkflow } from '../../core/workflow/read-workflow.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { introspectSession } from '../../engine/bindings/introspect-session.ts'
import { workspaceRead } from '../../engine/bindings/workspace-read.ts'
import type { RunWorld } from '../../engine/runs/start/frozen.ts'
import { type RunParts, type RunWork, runWork } from '../../engine/runs/work.ts'
import type { Store } from '../../ports.ts'
import { sharedValidator } from '../shared-validator.ts'

const NOTED = 'replies:\n  - match: {}\n    text: Noted.\n'

export const WORLD: RunWorld = {
  hostDefaults: {},
  agentBindings: true,
  roles: null,
  model: { provider: 'scripted', model: 'small' },
  repository: null,
}

export interface TestRuns extends RunWork {
  readonly problems: Error[]
}

export function testRuns(store: Store, script = NOTED, more: Partial<RunParts> = {}): TestRuns {
  const policy = () => EVERYTHING
  const validator = sharedValidator()
  const problems: Error[] = []
  const work = runWork({
    store,
    owner: 'test',
    world: WORLD,
    now: Date.now,
    newId: randomUUID,
    models: scriptedChat('script.yaml', script),
    secrets: () => ({ get: async () => null }),
    validator,
    bindings: new Map([workspaceRead(store, policy), introspectSession(store)].map(one => [one.descriptor.name, one])),
    grants: [{ tools: ['workspace.read'] }],
    hostCatalog: null,
    policy,
    wait: (ms, signal) =>
      new Promise(resolve => {
        const timer = setTimeout(resolve, ms)
        signal.addEventListener('abort', () => {
          clearTimeout(timer)
          resolve()
        })
      }),
    failed: error => void problems.push(error),
    ...more,
  })
  return {
    ...work,
    problems,
    async close() {
      await work.close()
      await validator.close()
      if (process.env.ONBOOK_REPLAY_EVERY !== undefined) await (await import('../oracles/replay-every.ts')).replayEvery(store)
    },
  }
}

export function workflowOf(document: Json): Workflow {
  const read = readWorkflow(document)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.workflow
}
