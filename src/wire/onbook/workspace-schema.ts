// Schemas of workspace requests and answers.
import { Type } from 'typebox'
import { DIGEST, NO_DIGEST } from '../../core/digest/digest.ts'
import { MOST_PATH, WORKSPACE_NAME } from '../../core/workspace/path.ts'
import { differences } from './differences-schema.ts'
import { CLOSED, digest, jsonMap, limit, MOST_TEXT, nullable } from './schema-parts.ts'

const count = Type.Integer({ minimum: 0 })
/** A malformed path is refused later, by a fault that names the problem. */
const path = Type.String({ maxLength: MOST_PATH })
const mode = Type.Enum(['0644', '0755'])
const message = Type.String({ minLength: 1, maxLength: 500, pattern: NO_DIGEST })
/** A version number as text, for a query. */
const version = Type.String({ pattern: '^[1-9][0-9]{0,14}$' })

const name = Type.String({ pattern: WORKSPACE_NAME })
export const workspaceParams = Type.Object({ workspace: name }, CLOSED)
export const fileParams = Type.Object({ workspace: name, '*': path }, CLOSED)

export const listQuery = Type.Object({ cursor: Type.Optional(name), limit: Type.Optional(limit) }, CLOSED)
export const versionQuery = Type.Object({ version: Type.Optional(version) }, CLOSED)
export const versionsQuery = Type.Object({ cursor: Type.Optional(version), limit: Type.Optional(limit) }, CLOSED)
export const treeQuery = Type.Object(
  {
    version: Type.Optional(version),
    path: Type.Optional(path),
    scope: Type.Optional(Type.Enum(['dir', 'subtree'])),
    cursor: Type.Optional(path),
    limit: Type.Optional(limit),
  },
  CLOSED,
)
export const annotationsQuery = Type.Object({ version: Type.Optional(version), path: Type.Optional(path) }, CLOSED)
export const diffQuery = Type.Object(
  {
    from: Type.Optional(Type.String({ pattern: '^(0|[1-9][0-9]{0,14})$' })),
    to: Type.Optional(version),
    path: Type.Optional(path),
    decisions: Type.Optional(Type.Literal('true')),
  },
  CLOSED,
)
export const putQuery = Type.Object({ mode: Type.Optional(mode), message: Type.Optional(message) }, CLOSED)
export const deleteQuery = Type.Object({ message: Type.Optional(message) }, CLOSED)

/** At most one of `text`, `base64`, `digest` and `remove`. Without any of them, only the annotations change. */
const change = Type.Object(
  {
    path,
    text: Type.Optional(Type.String({ maxLength: MOST_TEXT })),
    base64: Type.Optional(
      Type.String({ maxLength: MOST_TEXT, pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$' }),
    ),
    digest: Type.Optional(Type.String({ pattern: DIGEST, description: 'An object that was uploaded before.' })),
    remove: Type.Optional(Type.Literal(true)),
    mode: Type.Optional(mode),
    annotations: Type.Optional(jsonMap),
  },
  CLOSED,
)
export const commitBody = Type.Object(
  {
    expectedHead: Type.Optional(count),
    message: Type.Optional(message),
    changes: Type.Array(change, { minItems: 1, maxItems: 100_000 }),
  },
  CLOSED,
)

const versionFields = {
  workspace: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  root: digest,
  files: count,
  bytes: count,
  at: Type.String(),
  actor: Type.String(),
  message: nullable(Type.String()),
}
const versionAnswer = Type.Object(versionFields, CLOSED)
const checks = Type.Object(
  {
    at: Type.String(),
    checker: Type.String(),
    files: count,
    errors: count,
    warnings: count,
    infos: count,
    tests: nullable(Type.Object({ pass: count, fail: count, skip: count, error: count }, CLOSED)),
    report: digest,
  },
  CLOSED,
)
const position = Type.Integer({ minimum: 1, description: 'From 1.' })
const finding = Type.Object(
  {
    file: Type.String(),
    rule: Type.String(),
    severity: Type.Enum(['error', 'warning', 'info']),
    message: Type.String(),
    line: position,
    column: position,
    suggestion: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
)
const testCase = Type.Object(
  {
    pack: Type.String(),
    example: nullable(Type.String({ description: 'Null when the pack as a whole could not be tested.' })),
    status: Type.Enum(['pass', 'fail', 'skip', 'error']),
    problems: Type.Array(Type.Object({ code: Type.String(), message: Type.String(), pointer: Type.Optional(Type.String()) }, CLOSED)),
  },
  { additionalProperties: true },
)
export const checkBody = Type.Object({ version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1e15 })) }, CLOSED)
export const checksAnswer = Type.Object(
  {
    workspace: Type.String(),
    version: Type.Integer({ minimum: 1 }),
    checks: nullable(checks),
    findings: Type.Array(finding),
    cases: Type.Array(testCase),
  },
  CLOSED,
)
export const headAnswer = Type.Object({ ...versionFields, head: Type.Integer({ minimum: 1 }) }, CLOSED)
export const workspacesAnswer = Type.Object({ items: Type.Array(versionAnswer), nextCursor: Type.Optional(Type.String()) }, CLOSED)
export const versionsAnswer = Type.Object(
  {
    workspace: Type.String(),
    items: Type.Array(Type.Object({ ...versionFields, checks: nullable(checks) }, CLOSED)),
    nextCursor: Type.Optional(Type.String()),
  },
  CLOSED,
)

const fileFields = { digest, size: count, mode, annotations: Type.Optional(digest) }
const entry = Type.Object({ path: Type.String(), kind: Type.Enum(['file', 'dir']), ...fileFields }, CLOSED)
const at = { workspace: Type.String(), version: Type.Integer({ minimum: 1 }) }
export const treeAnswer = Type.Object({ ...at, root: digest, entries: Type.Array(entry), nextCursor: Type.Optional(Type.String()) }, CLOSED)
export const annotationsAnswer = Type.Object(
  { workspace: Type.String(), path: Type.String(), annotations: Type.Record(Type.String(), Type.Unknown()) },
  CLOSED,
)

const side = Type.Object(fileFields, CLOSED)
const difference = Type.Object(
  {
    path: Type.String(),
    kind: Type.Enum(['added', 'removed', 'changed', 'mode', 'annotations']),
    from: Type.Optional(side),
    to: Type.Optional(side),
  },
  CLOSED,
)
export const diffAnswer = Type.Object(
  {
    workspace: Type.String(),
    from: count,
    to: Type.Integer({ minimum: 1 }),
    changes: Type.Array(difference),
    ...Type.Partial(Type.Object(differences)).properties,
  },
  CLOSED,
)
export const commitAnswer = Type.Object(
  {
    outcome: Type.Enum(['committed', 'unchanged']),
    ...at,
    root: digest,
    previousRoot: nullable(digest),
    files: count,
    bytes: count,
    changes: Type.Array(difference),
  },
  CLOSED,
)
