// /v1/labels as it is on the wire. Types only.
import type { Document } from './document.ts'
import type { labelHistoryAnswer, labelsAnswer } from './label-schema.ts'

type RecordedLabel = Document<typeof labelsAnswer>['labels'][number]

/** A label and its version. A snapshot does not say who moved it, when and why. */
export type LabelState = Pick<RecordedLabel, 'label' | 'version'> & Partial<RecordedLabel>

/** One move of a label. */
export type LabelMove = Document<typeof labelHistoryAnswer>['history'][number]
