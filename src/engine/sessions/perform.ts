// Does what an event called for, and says what came of it. Every outcome comes back as a command; what is thrown is a defect.
import { canonicalJson, digestText, type Json } from '../../core/digest/digest.ts'
import { schemaFault } from '../../core/schema/schema-fault.ts'
import type { SessionEffect } from '../../core/session/plan.ts'
import { workspaceSync } from '../../core/session/sync.ts'
import { fail } from '../../core/session/sync-effects.ts'
import { callModel } from './call-model.ts'
import { callTool } from './call-tool.ts'
import { performSync } from './perform-sync.ts'
import { type Performing, TOO_LATE } from './performing.ts'
import { readReply } from './read-reply.ts'

export async function performEffect(performing: Performing, effect: SessionEffect): Promise<void> {
  const { parts, place, send } = performing
  switch (effect.type) {
    case 'workspace.sync': {
      const user = { tenant: place.tenant, policy: parts.policy(place.tenant, place.session) }
      const input = { selection: effect.selection, known: effect.known, checkSchema: schemaFault }
      // Somebody waits for the outcome: a defect is one too.
      const result = await performSync(parts.store, user, workspaceSync, input).catch((error: Error) => {
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
    case 'session.create': {
      const { type: _, ...made } = effect
      await send({ type: 'create', ...made }, {}, made.session)
      return
    }
    case 'session.offer': {
      const { session, snapshot, selection } = effect
      await send({ type: 'offerSnapshot', snapshot, selection }, {}, session)
      return
    }
  }
}

/** A step that cannot even be put together ends its run. */
async function prepareStep({ parts, send }: Performing, of: Extract<SessionEffect, { readonly type: 'step.prepare' }>): Promise<void> {
  const { hostCatalog } = parts
  const text = hostCatalog === null ? null : catalogText(hostCatalog)
  const { refusal } = await send(
    { type: 'startStep', of: { run: of.run, step: of.step }, hostCatalog: text === null ? null : digestText(text) },
    text === null ? {} : { objects: [new TextEncoder().encode(text)] },
  )
  if (refusal !== null && !TOO_LATE.includes(refusal.code)) await send({ type: 'failRun', code: refusal.code, detail: refusal.message })
}

const catalogText = (descriptors: NonNullable<Performing['parts']['hostCatalog']>): string =>
  canonicalJson({
    tools: descriptors.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })),
  } as unknown as Json)
