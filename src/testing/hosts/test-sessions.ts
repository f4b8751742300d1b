// Sessions for a host under test: a model that says what a script says, and the tools that ship.
import { randomUUID } from 'node:crypto'
import { routedChat } from '../../adapters/chat/routed-chat.ts'
import { sampleChat } from '../../adapters/chat/sample-chat.ts'
import { scriptedChat } from '../../adapters/chat/scripted-chat.ts'
import { DEFAULT_POLICY } from '../../core/gate/host-policy.ts'
import { EVERYTHING } from '../../core/workspace/policy.ts'
import { introspectSession } from '../../engine/bindings/introspect-session.ts'
import { workspaceRead } from '../../engine/bindings/workspace-read.ts'
import { forkWork } from '../../engine/fork/forks.ts'
import { type RunParts, runWork } from '../../engine/runs/work.ts'
import { fairValidator } from '../../engine/work/fair-validator.ts'
import { type HostedSessions, liveDeltas } from '../../host/hosted-sessions.ts'
import type { Store } from '../../ports.ts'
import { sharedValidator } from '../shared-validator.ts'
import { WORLD } from '../stories/test-runs.ts'

/** Matches every prompt. */
const NOTED = 'replies:\n  - match: {}\n    text: Noted.\n'

export interface TestSessions extends HostedSessions {
  close(): Promise<void>
}

export function testSessions(store: Store, script = NOTED, more: Partial<RunParts> = {}): TestSessions {
  const policy = () => EVERYTHING
  const bindings = new Map([workspaceRead(store, policy), introspectSession(store)].map(one => [one.descriptor.name, one]))
  const grants = [{ tools: ['workspace.read'] }]
  const validator = fairValidator(sharedValidator, 3)
  const live = liveDeltas()
  const runs = runWork({
    store,
    owner: 'test',
    world: WORLD,
    now: Date.now,
    newId: randomUUID,
    models: routedChat({ sample: sampleChat }, () => scriptedChat('script.yaml', script)),
    secrets: () => ({ get: async () => null }),
    validator,
    bindings,
    grants,
    hostCatalog: null,
    policy,
    // Waits are short in a test, but let other work run.
    wait: ms => new Promise(resolve => setTimeout(resolve, Math.min(ms, 5))),
    failed: error => console.error(error),
    onDelta: live.say,
    ...more,
  })
  const forks = forkWork({ store, validator, runs, hostDefaults: WORLD.hostDefaults, failed: error => console.error(error) })
  return {
    work: runs.sessions,
    runs,
    forks,
    bindings,
    grants,
    policy: { policy: { ...DEFAULT_POLICY, grants }, lines: [] },
    live,
    validator,
    async close() {
      await forks.close()
      await runs.close()
      await validator.close()
    },
  }
}
