// Folder: References to runs, sessions and approvals.
// Resolves references for all commands: a run, session or approval by its id or the start of its id, and a run as latest or latest~1.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { databaseOf, tenantOf, withRecord } from '../../book/record-folder.ts'
import type { Book } from '../../book.ts'
import { sessionStream } from '../../core/session/events.ts'
import { Fault } from '../../errors.ts'
import type { Command, Input } from '../commands.ts'
import { openBook } from '../host/open-book.ts'
import { hostFor, workAt } from '../host/which-host.ts'
import { importedPath } from './imported-path.ts'
import { isReference, RUNS } from './syntax.ts'

const LATEST = /^latest(?:~(\d{1,6}))?$/
/** The number of candidates that a message names. */
const MOST = 10

/** The input with full ids in place of references, or the exit code when the host refused to list them. */
export async function withWholeIds(command: Command, input: Input): Promise<Input | number> {
  const whole: Record<string, unknown> = {}
  const code = await workAt({ close: async () => {} }, input, async () => {
    for (const name of RUNS.filter(one => isReference(input[one]))) whole[name] = await eachOf(input[name], ref => runNamed(input, ref))
    if (command.arguments.includes('<approval>')) whole.approval = await approvalNamed(input, String(input.approval))
    if (command.arguments.includes('<session>')) whole.session = await sessionNamed(input, String(input.session))
    return 0
  })
  return code === 0 ? { ...input, ...whole } : code
}

async function eachOf(value: unknown, name: (ref: string) => Promise<string>): Promise<unknown> {
  if (!Array.isArray(value)) return name(String(value))
  const named: unknown[] = []
  for (const one of value) named.push(isReference(one) ? await name(String(one)) : one)
  return named
}

async function runNamed(input: Input, ref: string): Promise<string> {
  const back = LATEST.exec(ref)
  if (back !== null) return withBookOf(input, book => runBefore(book, Number(back[1] ?? 0)))
  const imported = (await importedIds(input)).filter(id => id.startsWith(ref))
  const isEmpty = (await hostFor(input)) === null && !existsSync(databaseOf(input))
  if (imported.includes(ref) || (isEmpty && imported.length === 0)) return ref
  const found = await withBookOf(input, async book => {
    const runs: { readonly runId: string; readonly workflowId: string; readonly createdAt: string }[] = []
    for await (const run of book.runs.list({ prefix: ref, order: 'newest' })) {
      if (run.runId === ref) return [run]
      if (runs.length < MOST) runs.push(run)
    }
    return runs
  })
  const others = imported.filter(id => found.every(({ runId }) => runId !== id))
  const candidates = [...found.map(run => `${run.runId} (${run.workflowId}, ${run.createdAt})`), ...others.map(id => `${id} (imported)`)]
  if (candidates.length > 1) throw ambiguous('run', ref, candidates)
  // The command reports a run that does not exist.
  return found[0]?.runId ?? others[0] ?? ref
}

async function runBefore(book: Book, back: number): Promise<string> {
  let count = 0
  for await (const { runId } of book.runs.list({ order: 'newest', limit: Math.min(back + 1, 1_000) })) if (count++ === back) return runId
  throw new Fault('run_missing', {
    problem:
      count === 0
        ? 'There is no run yet. Start one: onbook run <workflow>'
        : `There are only ${count} runs: latest~${count - 1} is the oldest`,
  })
}

async function withBookOf<T>(input: Input, look: (book: Book) => Promise<T>): Promise<T> {
  // In commands about sessions, --config is not the file of the host.
  const { book, close } = await openBook({ ...input, config: undefined })
  try {
    return await look(book)
  } finally {
    await close()
  }
}

const importedIds = async (input: Input): Promise<readonly string[]> =>
  typeof input.url === 'string'
    ? []
    : (await readdir(dirname(importedPath(input, 'any'))).catch(() => [])).map(name => basename(name, '.jsonl'))

const WHOLE_APPROVAL = /^approval_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Lists the open approvals, which are few. The command reports one that is answered or does not exist. */
async function approvalNamed(input: Input, ref: string): Promise<string> {
  if (WHOLE_APPROVAL.test(ref)) return ref
  return withBookOf(input, async book => {
    const open: string[] = []
    try {
      for await (const { approval } of book.approvals.list()) open.push(approval)
    } catch (error) {
      // A key that may answer an approval need not be allowed to list them.
      if ((error as { readonly code?: string }).code !== 'forbidden') throw error
    }
    return oneOf('approval', ref, open)
  })
}

async function sessionNamed(input: Input, ref: string): Promise<string> {
  if ((await hostFor(input)) === null && (!existsSync(databaseOf(input)) || (await hasSession(input, ref)))) return ref
  return withBookOf(input, async book => {
    const problem = await book.sessions.get(ref).then(
      () => null,
      (error: { readonly code?: string }) => error.code,
    )
    if (problem !== 'session_missing') return ref
    const names: string[] = []
    for await (const { session } of book.sessions.list()) names.push(session)
    return oneOf('session', ref, names)
  })
}

/** Asks the record itself: most names are whole, and need no host in this process. */
const hasSession = (input: Input, session: string): Promise<boolean> =>
  withRecord(input, async store => (await store.head(tenantOf(input), sessionStream(session))).seq >= 0)

function oneOf(noun: string, ref: string, names: readonly string[]): string {
  if (names.includes(ref)) return ref
  const found = names.filter(name => name.startsWith(ref))
  if (found.length > 1) throw ambiguous(noun, ref, found.slice(0, MOST))
  return found[0] ?? ref
}

const ambiguous = (noun: string, ref: string, candidates: readonly string[]): Fault =>
  new Fault('reference_ambiguous', { noun, ref, known: candidates })
