// onbook sync, onbook apply: getting a version of a workspace ready, and putting it in force. Two steps, so that nothing changes by itself.
import { INDEX_FILE, readIndex } from '../../core/workspace/index-file.ts'
import { Fault } from '../../errors.ts'
import type { ApplyWhen, SyncRequest } from '../../wire/onbook/sessions.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { choiceOption, numberOption, printJson } from '../terminal.ts'
import { choiceOf } from '../workspace/open-workspaces.ts'
import { type Desk, withDesk } from './desk.ts'
import { applyText, syncText } from './words.ts'

const WHEN: readonly ApplyWhen[] = ['next_run', 'next_step_boundary', 'immediate_if_idle']

export const sync = (input: Input): Promise<number> =>
  withDesk(
    input,
    async desk => {
      const session = String(input.session)
      const known = input.known === undefined ? {} : { knownVersion: numberOption(input.known, '--known', 1, { least: 1, most: 1e15 }) }
      const answer = await desk.sync(session, { ...(await selectorsOf(desk, session, input)), ...known })
      if (input.json) printJson(answer)
      else process.stdout.write(lines(syncText(session, answer)))
      return answer.outcome === 'failed' ? 1 : 0
    },
    { judges: true },
  )

/** What is not named is what the session names, and else what the workspace's own index says. Only here: core fills in nothing. */
async function selectorsOf(desk: Desk, session: string, input: Input): Promise<SyncRequest> {
  const { config } = await desk.get(session)
  const named = typeof input.workspace === 'string' ? choiceOf(input.workspace) : null
  const workspace = named?.workspace ?? config.workspace?.name
  if (workspace === undefined)
    throw new Fault('workspace_unset', { problem: `Session ${session} names no workspace; name one with --workspace` })
  const version = named === null ? (config.workspace?.version ?? null) : (named.version ?? null)
  const own = named === null || named.workspace === config.workspace?.name ? config : {}
  const defaults = await defaultsOf(desk, workspace, version ?? undefined)
  return {
    workspace,
    version,
    prelude: typeof input.prelude === 'string' ? input.prelude : (own.prelude ?? defaults.prelude),
    catalog: typeof input.catalog === 'string' ? input.catalog : (own.catalog ?? defaults.catalog),
  }
}

/** An index that cannot be read says nothing here: the sync itself says what is wrong with it. */
async function defaultsOf(desk: Desk, workspace: string, version: number | undefined) {
  const bytes = await desk.file(workspace, version, INDEX_FILE)
  const read = bytes === null ? null : readIndex(bytes)
  return read?.ok ? read.index.defaults : { prelude: null, catalog: null }
}

export const apply = (input: Input): Promise<number> =>
  withDesk(input, async desk => {
    const when = choiceOption(input.when ?? 'next_run', '--when', WHEN)
    const answer = await desk.apply(String(input.session), when, { untested: input.untested === true })
    if (input.json) printJson(answer)
    else process.stdout.write(lines(applyText(answer)))
    return answer.outcome === 'refused' ? 1 : 0
  })

const lines = (text: string): string => text.split('\n').map(visible).join('\n')
