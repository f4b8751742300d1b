// The same tool, asked for by three agents that are all shown it: one is not granted it, one is, one once a person has approved.
import { visible } from '../../report/visible.ts'
import type { Story } from '../../runs/story.ts'
import { toolLine } from '../first-page.ts'
import type { Stage } from '../stage.ts'

const ARCHIVE = 'newsroom/workflows/archive.yaml'
const AGENTS: Readonly<Record<string, string>> = { drafting: 'writer', checking: 'critic', editing: 'editor' }

export async function tool({ type, say, work, look, read, story, color }: Stage): Promise<string> {
  say(
    'All three agents are shown workspace.read. onbook.policy.yaml grants it to the',
    'critic, to the editor once a person approves, and to the writer not at all.',
  )
  const { runId } = await type<{ readonly runId: string }>(['run', ARCHIVE, ...work], [1])
  const linesOf = ({ tools }: Story) => tools.map(use => `${AGENTS[use.nodeId] ?? use.nodeId}  ${toolLine(use, color)}`)
  const asked = linesOf(await story(runId))
  say(...asked)
  const { approvals } = await type<{ readonly approvals: readonly Listed[] }>(['approvals'])
  const { approval, wants } = approvals.find(one => one.runId === runId)!
  say(visible(`the editor asks for ${wants.tool} ${JSON.stringify(wants.arguments)}`))
  const { events } = await read(runId)
  await type(['approvals', 'approve', approval, '--note', 'It is our own archive.', ...work])
  await look(desk => desk.settled(runId, events.length - 1))
  const after = await story(runId)
  say(...linesOf(after).slice(asked.length), `and the editor says: ${visible(JSON.stringify(after.outputs?.editing ?? null))}`)
  return 'Being shown a tool is not being allowed to use it: the policy decides, and a person where the policy says so.'
}

interface Listed {
  readonly approval: string
  readonly runId: string | null
  readonly wants: { readonly tool: string; readonly arguments: unknown }
}
