// Types of /v1/labels.
import type { Document } from './document.ts'
import type { labelHistoryAnswer, labelsAnswer } from './label-schema.ts'

type RecordedLabel = Document<typeof labelsAnswer>['labels'][number]

/** A label and its version. A snapshot has no author, time or reason of the last move. */
export type LabelState = Pick<RecordedLabel, 'label' | 'version'> & Partial<RecordedLabel>

/** One move of a label. */
export type LabelMove = Document<typeof labelHistoryAnswer>['history'][number]
