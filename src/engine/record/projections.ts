// The projections of the product: every table that is derived from events, beside the record's own.
import { keyRows } from '../../core/access/keys.ts'
import { MEMBERSHIP_PROJECTIONS } from '../../core/access/membership.ts'
import { bundleRows } from '../../core/bundle/events.ts'
import { definitionRows } from '../../core/definition/published.ts'
import { LIBRARY_PROJECTIONS } from '../../core/library/events.ts'
import type { Projection } from '../../core/record/projection.ts'
import { RUN_PROJECTIONS } from '../../core/run/projections.ts'
import { SESSION_PROJECTIONS } from '../../core/session/projections.ts'
import { WORKSPACE_PROJECTIONS } from '../../core/workspace/events.ts'

export const PRODUCT_PROJECTIONS: readonly Projection[] = [
  ...LIBRARY_PROJECTIONS,
  bundleRows,
  keyRows,
  ...MEMBERSHIP_PROJECTIONS,
  ...WORKSPACE_PROJECTIONS,
  ...SESSION_PROJECTIONS,
  ...RUN_PROJECTIONS,
  ...Object.values(definitionRows),
]
