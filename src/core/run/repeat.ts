// Detects that an agent gets the same prompt again: hashes a prompt without the line that only distinguishes runs and nodes.
import type { BlockSegment } from '../compose/parts.ts'
import { type Digest, digestText } from '../digest/digest.ts'

const namesTheRun = ({ part, from }: BlockSegment): boolean => part === 'task' && from === 'task'

export const repeatHash = (segments: readonly BlockSegment[]): Digest =>
  digestText(segments.map(segment => (namesTheRun(segment) ? '' : segment.text)).join(''))
