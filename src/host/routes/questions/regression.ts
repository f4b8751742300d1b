// /v1/workspaces/{workspace}/regression: recorded prompts that would differ under a workspace version. Text is included only as far as the host shows
// prompts.
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { BLOCKS } from '../../../core/compose/parts.ts'
import { CAUSES } from '../../../core/regression/cause.ts'
import type { Example } from '../../../core/regression/tally.ts'
import { LAYERS } from '../../../core/resolve/layers.ts'
import { runStream } from '../../../core/run/events.ts'
import type { Principal } from '../../../engine/access/access.ts'
import { maySee } from '../../../engine/access/membership.ts'
import { readActivation, readLabelMove, readProposal } from '../../../engine/regression/proposal.ts'
import { chosenRuns, type NewestRuns, newestRuns } from '../../../engine/regression/recorded-runs.ts'
import { type ComparedRun, type Regression, regressionOf } from '../../../engine/regression/regression.ts'
import type { RunSummary } from '../../../engine/runs/runs.ts'
import { Fault } from '../../../errors.ts'
import type { Store } from '../../../ports.ts'
import { CLOSED, digest, limit, nullable } from '../../../wire/onbook/schema-parts.ts'
import { workspaceParams } from '../../../wire/onbook/workspace-schema.ts'
import { principalOf } from '../../access/access.ts'
import type { HostConfig } from '../../config.ts'
import { answers } from '../answers.ts'
import { userOf } from '../workspaces/writes.ts'
import type { QuestionRouteParts } from './long-questions.ts'

const DEFAULT_RUNS = 100
/** Events of all runs together that take a few seconds of work. */
const MOST_EVENTS = 100_000

const moves = (pattern: string, description: string) =>
  Type.String({ maxLength: 4_000, pattern, description: `${description}; several are separated by commas.` })
const listed = (given: string | undefined): readonly string[] => given?.split(',') ?? []

const regressionQuery = Type.Object(
  {
    version: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,14}$', description: 'The newest unless it is named.' })),
    workflowId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    since: Type.Optional(
      Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,3})?Z$', description: 'Runs created since, in UTC.' }),
    ),
    limit: Type.Optional(limit),
    labels: Type.Optional(
      moves('^[^@=,]+@[^@=,]+=[^@=,]+(,[^@=,]+@[^@=,]+=[^@=,]+)*$', 'Labels as if they were moved: template@label=version'),
    ),
    activate: Type.Optional(moves('^[^@=,]+@[^@=,]+(,[^@=,]+@[^@=,]+)*$', 'Versions as if they were active: pack@version')),
  },
  CLOSED,
)
const count = Type.Integer({ minimum: 0 })
const text = nullable(Type.String())
const example = Type.Object(
  {
    runId: Type.String(),
    nodeId: Type.String(),
    visit: count,
    step: count,
    block: nullable(Type.Enum([...BLOCKS, 'prelude', 'tools'])),
    layer: Type.Optional(Type.Enum([...LAYERS])),
    template: Type.Optional(Type.String()),
    variable: Type.Optional(Type.String()),
    span: nullable(Type.Object({ start: count, end: count }, { ...CLOSED, description: 'In bytes, of what is on record.' })),
    expected: text,
    found: text,
    lines: Type.Array(Type.String()),
  },
  CLOSED,
)
const cause = Type.Object(
  {
    cause: Type.Enum([...CAUSES]),
    name: Type.String(),
    part: Type.Optional(Type.String()),
    file: Type.Optional(Type.String()),
    from: text,
    to: text,
    sameVersion: Type.Optional(Type.Literal(true)),
    runs: count,
    prompts: count,
    failing: count,
    gone: count,
    untold: count,
    examples: Type.Array(example),
  },
  CLOSED,
)
const regressionAnswer = Type.Object(
  {
    against: Type.Object({ workspace: Type.String(), version: count, root: digest }, CLOSED),
    runs: count,
    prompts: count,
    unchanged: count,
    changed: count,
    failing: Type.Integer({ minimum: 0, description: 'Those that could not be composed.' }),
    gone: Type.Integer({ minimum: 0, description: 'Those whose node would not be there, or be switched off.' }),
    untold: Type.Integer({ minimum: 0, description: 'Those that might be shown tools of the host that are not on record.' }),
    unsound: count,
    unsoundRuns: Type.Array(Type.Object({ runId: Type.String(), problem: Type.String() }, CLOSED)),
    causes: Type.Array(cause),
    workspaces: Type.Array(
      Type.String({
        description: 'Those that steps had a snapshot of. Preludes and catalogs of any other than the named one stay as they are.',
      }),
    ),
    unreached: Type.Array(
      Type.Object(
        { templateId: Type.String(), version: Type.String(), file: Type.String(), label: Type.String(), stays: Type.String() },
        { ...CLOSED, description: 'A new version that changes nothing yet: refs go by a label that the version does not move.' },
      ),
    ),
    older: Type.Integer({
      minimum: 0,
      description:
        'Runs that were not looked at, because there are more than the limit, or more than 100000 events in those that are newer.',
    }),
    replays: Type.Integer({ minimum: 0, description: 'Replays are left out: they have the prompts of other runs once more.' }),
  },
  CLOSED,
)

type Asked = { Params: Static<typeof workspaceParams>; Querystring: Static<typeof regressionQuery> }

export function workspaceRegressionRoutes(
  app: FastifyInstance,
  { store, sessions, questions }: QuestionRouteParts,
  { libraryId, observability }: Pick<HostConfig, 'libraryId' | 'observability'>,
): void {
  app.get<Asked>(
    '/v1/workspaces/:workspace/regression',
    {
      schema: {
        operationId: 'getRegression',
        params: workspaceParams,
        querystring: regressionQuery,
        response: answers(
          regressionAnswer,
          'What the version would do to the prompts of the newest runs, by cause: a hundred of them unless a limit is named.',
        ),
      },
    },
    async request => {
      const principal = principalOf(request, 'workspaces:read')
      const { tenant } = principalOf(request, 'runs:read')
      // The answer quotes prompts of sessions.
      principalOf(request, 'record:read')
      const { version, workflowId, limit } = request.query
      const since = request.query.since === undefined ? undefined : timeOf(request.query.since)
      const choice = { workspace: request.params.workspace, version: version === undefined ? undefined : Number(version) }
      const library = { store, tenant, libraryId }
      return questions.ask(tenant, async pause => {
        const proposal = await readProposal({
          store,
          user: userOf(principal),
          choice,
          library,
          validator: sessions.validator,
          labels: [...listed(request.query.labels).map(readLabelMove), ...listed(request.query.activate).flatMap(readActivation)],
        })
        let replays = 0
        const all = chosenRuns(store, tenant, { workflowId, since }, () => {
          replays += 1
        })
        const newest = await newestRuns(visibleRuns(store, principal, all), Number(limit ?? DEFAULT_RUNS))
        const { runIds, older } = await withinReach(store, tenant, newest)
        const found = await regressionOf(proposal, runsOf(store, tenant, runIds), pause)
        return { ...shown(found, observability === 'full'), older, replays }
      })
    },
  )
}

async function* visibleRuns(store: Store, principal: Principal, runs: AsyncIterable<RunSummary>): AsyncIterable<RunSummary> {
  for await (const run of runs) if (await maySee(store, principal, runStream(run.runId))) yield run
}

/** The time in the format of the record, so that texts can be compared. */
function timeOf(text: string): string {
  const time = new Date(text)
  // Date would silently read a day that does not exist as another one.
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(text.slice(0, 10)))
    throw new Fault('usage_invalid', { problem: `since: there is no such time as ${text}` })
  return time.toISOString()
}

/** The newest runs, up to the limit of one question. */
async function withinReach(store: Store, tenant: string, { runIds, older }: NewestRuns): Promise<NewestRuns> {
  let left = MOST_EVENTS
  for (let at = runIds.length - 1; at >= 0; at--) {
    const runId = runIds[at]!
    const { seq } = await store.head(tenant, runStream(runId))
    left -= seq + 1
    if (left >= 0) continue
    // When even the newest run is too long, there is nothing to answer.
    if (at === runIds.length - 1) throw new Fault('run_too_long', { runId, events: seq + 1, most: MOST_EVENTS })
    return { runIds: runIds.slice(at + 1), older: older + at + 1 }
  }
  return { runIds, older }
}

async function* runsOf(store: Store, tenant: string, runIds: readonly string[]): AsyncIterable<ComparedRun> {
  for (const runId of runIds) yield { store, tenant, runId }
}

/** The place of a difference and its error code are always shown; the text only where the host shows prompts. */
function shown(regression: Regression, withWords: boolean): Regression {
  if (withWords) return regression
  const codeIn = ({ block, found }: Example): string | null => (block === null && found !== null ? found.split(':')[0]! : null)
  const silent = (one: Example): Example => ({ ...one, expected: null, found: codeIn(one), lines: [] })
  return { ...regression, causes: regression.causes.map(one => ({ ...one, examples: one.examples.map(silent) })) }
}
