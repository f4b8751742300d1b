// Every way the house can fail on purpose. docs/reference/errors.md is generated from this table.
import { CONTENT_FAULTS } from './faults/content.ts'
import { HOST_FAULTS } from './faults/host.ts'
import { RECORD_FAULTS } from './faults/record.ts'
import { WORK_FAULTS } from './faults/work.ts'

export const FAULTS = { ...CONTENT_FAULTS, ...RECORD_FAULTS, ...HOST_FAULTS, ...WORK_FAULTS } as const

export type FaultCode = keyof typeof FAULTS
type Details<C extends FaultCode> = Parameters<(typeof FAULTS)[C]['say']>[0]

/** Thrown at the edge. The core returns verdicts and problems instead. */
export class Fault<C extends FaultCode = FaultCode> extends Error {
  override readonly name = 'Fault'
  readonly code: C
  readonly details: Details<C>
  readonly status: number

  constructor(code: C, details: Details<C>, options?: ErrorOptions) {
    super((FAULTS[code].say as (d: Details<C>) => string)(details), options)
    this.code = code
    this.details = details
    this.status = FAULTS[code].status
  }

  toJSON() {
    return { error: this.code, message: this.message, details: this.details }
  }
}
