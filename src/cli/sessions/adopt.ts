// onbook agent sync, onbook agent apply: prepares a version of a workspace, and activates it. Two steps, so that nothing changes by itself.
import type { Book } from '../../book.ts'
import { ClientError } from '../../client/index.ts'
import { INDEX_FILE, readIndex } from '../../core/workspace/index-file.ts'
import { Fault } from '../../errors.ts'
import type { ApplyWhen, SyncRequest } from '../../wire/onbook/sessions.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { choiceOption, numberOption, printJson } from '../terminal.ts'
import { choiceOf } from '../workspace/open-workspaces.ts'
import { applyText, syncText } from './format.ts'
import { withSessions } from './with-sessions.ts'

const WHEN: readonly ApplyWhen[] = ['next_run', 'next_step_boundary', 'immediate_if_idle']

export const sync = (input: Input): Promise<number> =>
  withSessions(
    input,
    async ({ book }) => {
      const session = String(input.session)
      const known = input.known === undefined ? {} : { knownVersion: numberOption(input.known, '--known', 1, { least: 1, most: 1e15 }) }
      const answer = await book.sessions.sync(session, { ...(await selectorsOf(book, session, input)), ...known })
      if (input.json) printJson(answer)
      else process.stdout.write(lines(syncText(session, answer)))
      return answer.outcome === 'failed' ? 1 : 0
    },
    { judges: true },
  )

/** Defaults come from the session, then from the workspace's own index. Only here: core fills in nothing. */
async function selectorsOf(book: Book, session: string, input: Input): Promise<SyncRequest> {
  const { config } = await book.sessions.get(session)
  const named = typeof input.workspace === 'string' ? choiceOf(input.workspace) : null
  const workspace = named?.workspace ?? config.workspace?.name
  if (workspace === undefined)
    throw new Fault('workspace_unset', { problem: `Session ${session} names no workspace; name one with --workspace` })
  const version = named === null ? (config.workspace?.version ?? null) : (named.version ?? null)
  const own = named === null || named.workspace === config.workspace?.name ? config : {}
  const defaults = await defaultsOf(book, workspace, version ?? undefined)
  return {
    workspace,
    version,
    prelude: typeof input.prelude === 'string' ? input.prelude : (own.prelude ?? defaults.prelude),
    catalog: typeof input.catalog === 'string' ? input.catalog : (own.catalog ?? defaults.catalog),
  }
}

/** An unreadable index gives no defaults here: the sync itself reports the problem. */
async function defaultsOf({ workspaces }: Book, workspace: string, version: number | undefined) {
  const bytes = await workspaces.read(workspace, INDEX_FILE, version === undefined ? {} : { version }).catch(error => {
    if (error instanceof ClientError && error.status !== null && error.status < 500) return null
    throw error
  })
  const read = bytes === null ? null : readIndex(bytes)
  return read?.ok ? read.index.defaults : { prelude: null, catalog: null }
}

export const apply = (input: Input): Promise<number> =>
  withSessions(input, async ({ book }) => {
    const when = choiceOption(input.when ?? 'next_run', '--when', WHEN)
    const answer = await book.sessions.apply(String(input.session), when, { untested: input.untested === true })
    if (input.json) printJson(answer)
    else process.stdout.write(lines(applyText(answer)))
    return answer.outcome === 'refused' ? 1 : 0
  })

const lines = (text: string): string => text.split('\n').map(visible).join('\n')
