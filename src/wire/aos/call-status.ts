// How a tool call ended, in the words of AgentOS.
import type { Json } from '../../core/digest/digest.ts'
import type { CallStatus } from '../../core/turn/events.ts'
import { readVariant, unit, type Variant, variant } from './variant.ts'

/** An interrupted call is one that failed, to them. */
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

export function fromAosCallStatus(value: Json | undefined): CallStatus | null {
  const read = readVariant(value)
  switch (read?.tag) {
    case 'Succeeded':
      return { status: 'succeeded' }
    case 'IgnoredStale':
      return { status: 'stale' }
    case 'Cancelled':
      return { status: 'cancelled' }
    case 'Failed': {
      const { code, detail } = read.value
      if (typeof code !== 'string' || typeof detail !== 'string') return null
      return code === 'interrupted' && detail === '' ? { status: 'interrupted' } : { status: 'failed', code, detail }
    }
    default:
      return null
  }
}
