// The table of runs and their status. The events have the details.
import type { Projection, Source } from '../record/projection.ts'

const THE_ROW = { row: { always: 1 } } as const
const putting = (cells: Readonly<Record<string, Source>>) => [{ put: { ...THE_ROW, ...cells, changedAt: 'at' } }]
const phase = (name: string, open: 0 | 1) => putting({ phase: { always: name }, open: { always: open } })

export const runRows: Projection = {
  table: 'runs',
  under: 'run/',
  columns: {
    row: 'integer',
    runId: 'text',
    workflowId: 'text',
    createdAt: 'text',
    changedAt: 'text',
    phase: 'text',
    /** 1 until it is over. */
    open: 'integer',
    /** For a fork: the source run, the mode, and the event it branches from. */
    forkOf: 'text',
    forkMode: 'text',
    forkFrom: 'integer',
  },
  key: ['row'],
  // Lists are ordered by id, with every filter.
  indexes: [['runId'], ['workflowId', 'runId'], ['phase', 'runId'], ['workflowId', 'phase', 'runId'], ['open']],
  from: {
    'run.created': putting({
      runId: 'payload.runId',
      workflowId: 'payload.workflowId',
      createdAt: 'at',
      phase: { always: 'running' },
      open: { always: 1 },
      forkOf: 'payload.forkOf.runId',
      forkMode: 'payload.forkOf.mode',
      forkFrom: 'payload.forkOf.fromSeq',
    }),
    'run.paused': phase('paused', 1),
    'run.resumed': phase('running', 1),
    'run.cancelling': phase('cancelling', 1),
    'run.completed': phase('completed', 0),
    'run.failed': phase('failed', 0),
    'run.cancelled': phase('cancelled', 0),
  },
}

/** Requests to people, open or answered. */
export const approvalRows: Projection = {
  table: 'approvals',
  columns: { approval: 'text', askedAt: 'text', open: 'integer' },
  key: ['approval'],
  indexes: [['approval'], ['open']],
  from: {
    'approval.requested': [{ put: { approval: 'payload.approval', askedAt: 'at', open: { always: 1 } } }],
    'approval.resolved': [{ put: { approval: 'payload.approval', open: { always: 0 } } }],
  },
}

export const RUN_PROJECTIONS: readonly Projection[] = [runRows, approvalRows]
