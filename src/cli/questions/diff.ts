// onbook diff: first where decisions differ, then the text. Of two runs, two steps, two templates, two files, two versions of a workspace.
import type { Differences } from '../../core/diff/difference.ts'
import { readSteps, type StepPlace } from '../../core/diff/read-steps.ts'
import { runEvent, runStream } from '../../core/run/events.ts'
import { diffRuns, diffSteps } from '../../engine/diff/diff-runs.ts'
import { diffWorkspaces } from '../../engine/diff/diff-workspaces.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { printJson, useColor } from '../terminal.ts'
import { choiceOf, withWorkspaces } from '../workspace/open-workspaces.ts'
import { contentOf, diffContent, isFile, isRunFile } from './diff-content.ts'
import { diffPage, type Sides } from './diff-page.ts'
import { openQuestioned, type Questioned } from './open.ts'

interface Answer {
  /** What is compared. */
  readonly of: 'runs' | 'steps' | 'templates' | 'files' | 'workspaces'
  readonly sides: Sides
  readonly found: Differences
}

export async function diff(input: Input): Promise<number> {
  const { of, sides, found } = await answerOf(input)
  const { decisions, texts, ...rest } = found
  if (input.json) printJson({ of, ...sides, ...rest, decisions, texts: input.decisions === true ? [] : texts })
  else process.stdout.write(diffPage(sides, found, { useColor: useColor(process.stdout), decisionsOnly: input.decisions === true }))
  return found.same ? 0 : 1
}

const usage = (problem: string): Fault<'usage_invalid'> => new Fault('usage_invalid', { problem })

async function answerOf(input: Input): Promise<Answer> {
  const { a, b, node, steps } = input
  if (steps !== undefined) {
    if (b !== undefined || node === undefined) throw usage('two steps are of one run and one node: onbook diff RUN --node ID --steps 1..2')
    return ofSteps(input, String(a), String(node), String(steps))
  }
  if (b === undefined) throw usage('name two things to compare; or of one run two steps, with --node ID --steps 1..2')
  const [one, other] = [String(a), String(b)]
  const forms = [await formOf(one), await formOf(other)] as const
  if (node !== undefined && !forms.every(isRun)) throw usage('--node belongs to runs')
  if ((input.url ?? input.key) !== undefined && !forms.every(isRun))
    throw usage('--url is for runs: templates, files and workspaces are compared here')
  const isOf = (form: Form): boolean => forms.every(found => found === form || found === 'name') && forms.includes(form)
  if (isOf('workspace')) return ofWorkspaces(input, one, other)
  if (forms.every(isRun)) return ofRuns(input, one, other)
  const found = forms.every(form => form === 'content') ? await ofContent(input, one, other) : null
  if (found !== null) return found
  throw usage(`${told(one, forms[0])} and ${told(other, forms[1])} cannot be compared: ${COMPARED}`)
}

type Form = 'content' | 'run file' | 'workspace' | 'name'

const COMPARED =
  'name two runs (ids or run files), two templates or packs (prompt:id@version, or their files), two other files, or two versions of a workspace (name@1 name@2)'

const isRun = (form: Form): boolean => form === 'run file' || form === 'name'

const NAMES: Readonly<Record<Form, string>> = { content: 'content', 'run file': 'a run file', workspace: 'a workspace', name: 'a run' }

const told = (given: string, form: Form): string => `${given} (${NAMES[form]})`

/** What is there under this name counts for more than what it looks like. */
async function formOf(given: string): Promise<Form> {
  if (await isFile(given)) return (await isRunFile(given)) ? 'run file' : 'content'
  if (given.startsWith('prompt:')) return 'content'
  if (/[\\/]|\.(?:ya?ml|jsonl?|md)$/.test(given)) throw usage(`there is no file ${given}: ${COMPARED}`)
  return /^[^@]+@\d{1,15}$/.test(given) ? 'workspace' : 'name'
}

async function ofContent(input: Input, a: string, b: string): Promise<Answer | null> {
  const [one, other] = [await contentOf(input, a), await contentOf(input, b)]
  const found = diffContent(one, other)
  if (found === null) return null
  return { of: [one, other].some(({ is }) => is === 'file') ? 'files' : 'templates', sides: { a: one.name, b: other.name }, found }
}

const ofWorkspaces = (input: Input, a: string, b: string): Promise<Answer> =>
  withWorkspaces(input, async (store, user) => {
    const { a: one, b: other, ...found } = await diffWorkspaces(store, user, choiceOf(a), choiceOf(b))
    return { of: 'workspaces', sides: { a: one, b: other }, found }
  })

async function ofRuns(input: Input, a: string, b: string): Promise<Answer> {
  const nodeId = input.node === undefined ? undefined : String(input.node)
  return withRun(input, a, one =>
    withRun(input, b, async other => {
      const found = await diffRuns(one, other, nodeId)
      const fork = (await sourceOf(other)) === one.runId ? 'b' : (await sourceOf(one)) === other.runId ? 'a' : undefined
      return { of: 'runs', sides: { a: nameOf(one, a), b: nameOf(other, b), fork }, found }
    }),
  )
}

/** The run that it is a fork of. */
async function sourceOf({ store, tenant, runId }: Questioned): Promise<string | null> {
  for await (const { event } of store.read(tenant, runStream(runId), -1)) {
    const created = runEvent(event)
    return created.type === 'run.created' ? (created.forkOf?.runId ?? null) : null
  }
  return null
}

/** With the file it came from, where it did. */
const nameOf = ({ runId }: Questioned, ref: string): string => (runId === ref ? runId : `${runId}, in ${ref}`)

async function withRun<T>(input: Input, ref: string, ask: (run: Questioned) => Promise<T>): Promise<T> {
  const run = await openQuestioned(input, ref)
  try {
    return await ask(run)
  } finally {
    await run.close()
  }
}

function ofSteps(input: Input, ref: string, nodeId: string, steps: string): Promise<Answer> {
  const places = readSteps(steps)
  if (places === null) throw usage(`"${steps}" does not name two steps: write 1..2, or with their visits 1.2..2.1`)
  return withRun(input, ref, async run => {
    const { a, b, ...found } = await diffSteps(run, nodeId, ...places)
    const told = ({ visit, step }: StepPlace): string => `${nameOf(run, ref)}: ${nodeId}, visit ${visit}, step ${step}`
    return { of: 'steps', sides: { a: told(a), b: told(b) }, found }
  })
}
