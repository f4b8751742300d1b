// Measures how much of a prompt Onbook wrote: contract, mode, and the headings and rows of a task. The rest is the
// author's text and the run's input.
import type { BlockSegment } from './parts.ts'

export interface OwnShare {
  readonly bytes: number
  /** An estimate: four bytes a token. Tokenizers differ. */
  readonly estimatedTokens: number
  /** Bytes of the whole prompt. */
  readonly ofBytes: number
}

const BYTES_PER_TOKEN = 4
/** Fields of a task that Onbook fills in by itself. */
const OWN_FIELDS: readonly (string | null)[] = [null, 'task', 'settings', 'nodes', 'edges', 'repository']

export function ownShare(segments: readonly BlockSegment[]): OwnShare {
  // A verbatim prompt has no row that names its run, and its task is nothing but input.
  const isGraph = segments.some(({ part, from }) => part === 'task' && from === 'task')
  const isOwn = ({ part, from }: BlockSegment): boolean =>
    part === 'contract' || part === 'mode' || (part === 'task' && isGraph && OWN_FIELDS.includes(from?.split('.')[0] ?? null))
  const bytes = bytesOf(segments.filter(isOwn))
  return { bytes, estimatedTokens: Math.ceil(bytes / BYTES_PER_TOKEN), ofBytes: bytesOf(segments) }
}

const encoder = new TextEncoder()
const bytesOf = (segments: readonly BlockSegment[]): number => segments.reduce((sum, { text }) => sum + encoder.encode(text).length, 0)
