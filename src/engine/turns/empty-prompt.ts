// The prompt of a step that composes nothing: a session run sends its messages as they are.
import type { Mode } from '../../core/compose/mode.ts'
import { type Digest, digestText } from '../../core/digest/digest.ts'
import { segmentsText } from '../../core/run/reading/stored-segments.ts'
import { repeatHash } from '../../core/run/repeat.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { PromptRecord } from '../../core/turn/events.ts'

const stored = (text: string): StoredText => ({ digest: digestText(text), text })

const FULL = stored('')
const SEGMENTS = stored(segmentsText([]))
const REPEAT: Digest = repeatHash([])

export const emptyPrompt = (mode: Mode): { readonly prompt: PromptRecord; readonly texts: readonly StoredText[] } => ({
  prompt: {
    full: FULL.digest,
    blocks: {},
    segments: SEGMENTS.digest,
    templates: [],
    mode,
    repeatHash: REPEAT,
    sent: { kind: 'full', reason: 'cannot_resume', text: null, headerHash: FULL.digest, held: 0 },
  },
  texts: [FULL, SEGMENTS],
})
