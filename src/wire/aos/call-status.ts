// Translates the outcome of a tool call to AgentOS's names.
import type { CallStatus } from '../../core/turn/events.ts'
import { unit, type Variant, variant } from './variant.ts'

/** AgentOS has no status for interrupted calls: they become failed. */
export function toAosCallStatus(settled: CallStatus): Variant {
  switch (settled.status) {
    case 'succeeded':
      return unit('Succeeded')
    case 'failed':
      return variant('Failed', { code: settled.code, detail: settled.detail })
    case 'interrupted':
      return variant('Failed', { code: 'interrupted', detail: '' })
    case 'stale':
      return unit('IgnoredStale')
    case 'cancelled':
      return unit('Cancelled')
  }
}
