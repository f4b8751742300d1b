// /v1/workspaces: the versions of workspaces over HTTP. Their content is served as bytes and never executed.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { diffWorkspaces } from '../../../engine/diff/diff-workspaces.ts'
import { pacedStore } from '../../../engine/reading/paced-store.ts'
import { checksOf } from '../../../engine/workspaces/checks.ts'
import { diffVersions, listFiles, readAnnotations } from '../../../engine/workspaces/read.ts'
import { listVersions, listWorkspaces, treeOf, type VersionChoice, type WorkspaceVersion } from '../../../engine/workspaces/versions.ts'
import {
  annotationsAnswer,
  annotationsQuery,
  diffAnswer,
  diffQuery,
  headAnswer,
  listQuery,
  treeAnswer,
  treeQuery,
  versionQuery,
  versionsAnswer,
  versionsQuery,
  workspaceParams,
  workspacesAnswer,
} from '../../../wire/onbook/workspace-schema.ts'
import { principalOf } from '../../access/access.ts'
import type { HostParts } from '../../app.ts'
import { isUnchanged, tagOf } from '../../requests/entity-tags.ts'
import { answers } from '../answers.ts'
import type { LongQuestions } from '../questions/long-questions.ts'
import { workspaceCheckRoutes } from './checks.ts'
import { workspaceCommitRoutes } from './commits.ts'
import { workspaceFileRoutes } from './files.ts'
import { userOf } from './writes.ts'

const DEFAULT_LIMIT = 50
const DEFAULT_ENTRIES = 200

type Params = Static<typeof workspaceParams>

export function workspaceRoutes(app: FastifyInstance, parts: HostParts, questions: LongQuestions): void {
  const { store } = parts

  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/v1/workspaces',
    {
      schema: {
        operationId: 'listWorkspaces',
        querystring: listQuery,
        response: answers(workspacesAnswer, 'Those this key may use, by name, at their newest version.'),
      },
    },
    async request => {
      const user = userOf(principalOf(request, 'workspaces:read'))
      const { cursor, limit } = request.query
      const { items, more } = await firstOf(listWorkspaces(store, user, cursor), Number(limit ?? DEFAULT_LIMIT))
      return { items, ...(more ? { nextCursor: items.at(-1)!.workspace } : {}) }
    },
  )

  app.get<{ Params: Params; Querystring: Static<typeof versionQuery> }>(
    '/v1/workspaces/:workspace',
    {
      schema: {
        operationId: 'getWorkspace',
        params: workspaceParams,
        querystring: versionQuery,
        response: answers(headAnswer, 'A version; without one, the newest.'),
      },
    },
    async (request, reply) => {
      const user = userOf(principalOf(request, 'workspaces:read'))
      const { workspace } = request.params
      const version = await treeOf(store, user, { workspace, version: numberOf(request.query.version) }, 'resolve')
      const head = await treeOf(store, user, { workspace }, 'resolve')
      reply.header('etag', tagOf(version.root)).header('cache-control', 'private, no-cache')
      if (isUnchanged(request.headers['if-none-match'], tagOf(version.root))) return reply.code(304).send()
      return { ...version, head: head.version }
    },
  )

  app.get<{ Params: Params; Querystring: Static<typeof versionsQuery> }>(
    '/v1/workspaces/:workspace/versions',
    {
      schema: {
        operationId: 'listWorkspaceVersions',
        params: workspaceParams,
        querystring: versionsQuery,
        response: answers(versionsAnswer, 'Newest first, each with the last check of exactly its files.'),
      },
    },
    async request => {
      const user = userOf(principalOf(request, 'workspaces:read'))
      const { workspace } = request.params
      const { cursor, limit } = request.query
      const { items, more } = await firstOf(listVersions(store, user, workspace, numberOf(cursor)), Number(limit ?? DEFAULT_LIMIT))
      const checked = await Promise.all(items.map(async item => ({ ...item, checks: await checksOf(store, user, item) })))
      return { workspace, items: checked, ...(more ? { nextCursor: String(items.at(-1)!.version) } : {}) }
    },
  )

  app.get<{ Params: Params; Querystring: Static<typeof treeQuery> }>(
    '/v1/workspaces/:workspace/tree',
    {
      schema: {
        operationId: 'listWorkspaceFiles',
        params: workspaceParams,
        querystring: treeQuery,
        response: answers(treeAnswer, 'What is in a folder, or below it, by path.'),
      },
    },
    async request => {
      const user = userOf(principalOf(request, 'workspaces:read'))
      const { version: number, limit, ...rest } = request.query
      const listing = { ...request.params, ...rest, version: numberOf(number), limit: Number(limit ?? DEFAULT_ENTRIES) }
      const { version, entries, nextCursor } = await listFiles(store, user, listing)
      const { workspace, root } = version
      return { workspace, version: version.version, root, entries, ...(nextCursor === null ? {} : { nextCursor }) }
    },
  )

  app.get<{ Params: Params; Querystring: Static<typeof annotationsQuery> }>(
    '/v1/workspaces/:workspace/annotations',
    {
      schema: {
        operationId: 'listWorkspaceAnnotations',
        params: workspaceParams,
        querystring: annotationsQuery,
        response: answers(annotationsAnswer, 'Of a file or a folder.'),
      },
    },
    async request => {
      const user = userOf(principalOf(request, 'workspaces:read'))
      const { workspace } = request.params
      const { version, path = '' } = request.query
      return { workspace, path, annotations: await readAnnotations(store, user, { workspace, version: numberOf(version) }, path) }
    },
  )

  app.get<{ Params: Params; Querystring: Static<typeof diffQuery> }>(
    '/v1/workspaces/:workspace/diff',
    {
      schema: {
        operationId: 'diffWorkspace',
        params: workspaceParams,
        querystring: diffQuery,
        response: answers(
          diffAnswer,
          'Which files differ, by path; with `decisions`, also what of them is decided otherwise and what that means.',
        ),
      },
    },
    async request => {
      const user = userOf(principalOf(request, 'workspaces:read'))
      const { workspace } = request.params
      const { from, to, path, decisions } = request.query
      const files = await diffVersions(store, user, { workspace, from: numberOf(from), to: numberOf(to), path })
      if (decisions === undefined) return { workspace, ...files }
      const sideOf = (version: number): VersionChoice => ({ workspace, version })
      const {
        a: _,
        b: __,
        ...found
      } = await questions.ask(user.tenant, pause =>
        diffWorkspaces(pacedStore(store, pause), user, sideOf(files.from), sideOf(files.to), path),
      )
      return { workspace, ...files, ...found }
    },
  )

  workspaceCommitRoutes(app, store)
  workspaceCheckRoutes(app, parts, questions)
  workspaceFileRoutes(app, store)
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

async function firstOf(all: AsyncIterable<WorkspaceVersion>, limit: number) {
  const items: WorkspaceVersion[] = []
  for await (const one of all) {
    if (items.length === limit) return { items, more: true }
    items.push(one)
  }
  return { items, more: false }
}
