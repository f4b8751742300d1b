// Whether an agent is told the same again: the hash of a prompt without the line that only tells runs and nodes apart.
import type { BlockSegment } from '../compose/parts.ts'
import { type Digest, digestText } from '../digest/digest.ts'

const namesTheRun = ({ part, from }: BlockSegment): boolean => part === 'task' && from === 'task'

export const repeatHash = (segments: readonly BlockSegment[]): Digest =>
  digestText(segments.map(segment => (namesTheRun(segment) ? '' : segment.text)).join(''))
