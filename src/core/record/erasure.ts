// Erases an object's bytes on purpose. The remaining event records the actor, the time and the reason; the chain stays whole.
import type { Digest } from '../digest/digest.ts'
import type { EventDraft } from './event.ts'

export const AUDIT = 'audit'
export const OBJECT_ERASED = 'object.erased'

export const erasureDraft = (digest: Digest, actor: string, why: string): EventDraft => ({
  type: OBJECT_ERASED,
  actor,
  payload: { erasedHash: digest, why },
})
