// Does what an event called for, and says what came of it. Every outcome comes back as a command; what is thrown is a defect.
import { schemaFault } from '../../core/schema/schema-fault.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import { workspaceSync } from '../../core/session/sync.ts'
import { fail } from '../../core/session/sync-effects.ts'
import { callModel } from './call-model.ts'
import { callTool } from './call-tool.ts'
import { loadSession } from './load.ts'
import { performSync } from './perform-sync.ts'
import type { Performing } from './performing.ts'
import { checkedSync } from './prelude-secrets.ts'
import { prepareStep } from './prepare-step.ts'
import { readReply } from './read-reply.ts'
import { syncPacks } from './sync-packs.ts'

export async function performEffect(performing: Performing, effect: SessionEffect): Promise<void> {
  const { parts, place, send } = performing
  switch (effect.type) {
    case 'workspace.sync': {
      const user = { tenant: place.tenant, policy: parts.policy(place.tenant, place.session) }
      const input = { selection: effect.selection, known: effect.known, checkSchema: schemaFault }
      // Somebody waits for the outcome: a defect is one too.
      const result = await performSync(parts.store, user, workspaceSync, input)
        .then(synced => checkedSync(parts, place, user, synced))
        .then(async synced => {
          const { active } = (await loadSession(parts.store, place.tenant, place.session)).state.workspace
          const proof = { active, ...(parts.packModel === undefined ? {} : { modelFor: parts.packModel }) }
          return syncPacks({ store: parts.store, user, validator: parts.validator }, synced, proof)
        })
        .catch((error: Error) => {
          parts.failed(error, place)
          return fail('resolve', 'internal_error', 'something went wrong in the host; it has written down what')
        })
      await send('sync' in effect.for ? { type: 'settleSync', ...effect.for, result } : { type: 'settleRunSync', ...effect.for, result })
      return
    }
    case 'run.request':
      await send({ type: 'requestRun' })
      return
    case 'run.start':
      await send({ type: 'startRun', run: effect.run })
      return
    case 'step.prepare':
      return prepareStep(performing, effect)
    case 'model.call':
      return callModel(performing, effect)
    case 'reply.read':
      return readReply(performing, effect)
    case 'tool.call':
      return callTool(performing, effect)
  }
}
