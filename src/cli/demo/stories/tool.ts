// Story: three agents see the same tool and call it. One has no grant, one has a grant, one needs the approval of a person.
import { readText } from '../../../book/record-folder.ts'
import { visible } from '../../report/visible.ts'
import type { Story } from '../../runs/story.ts'
import { toolLine } from '../first-page.ts'
import type { Stage } from '../stage.ts'

const POLICY = 'onbook.policy.yaml'
const ARCHIVE = 'newsroom/workflows/archive.yaml'
const AGENTS: Readonly<Record<string, string>> = { drafting: 'writer', checking: 'critic', editing: 'editor' }

export async function tool({ type, say, work, look, read, story, color }: Stage): Promise<string> {
  const grants = (await readText(POLICY)).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  say(
    'All three agents are shown the tool workspace.read. Who is granted it, in',
    `${POLICY}:`,
    ...grants.map(line => color.dim(`  ${visible(line)}`)),
  )
  const { runId } = await type<{ readonly runId: string }>(['run', ARCHIVE, ...work], [0, 1])
  const asked = linesOf(await story(runId), color)
  say(...asked)
  const { approvals } = await type<{ readonly approvals: readonly Listed[] }>(['approval', 'list'])
  const open = approvals.find(one => one.runId === runId)
  if (open === undefined) return `No approval is needed: ${POLICY} has changed since the demo began.`
  say(visible(`the editor asks for ${open.wants.tool} ${JSON.stringify(open.wants.arguments)}`))
  const { reading } = await read(runId)
  await type(['approval', 'approve', open.approval, '--note', 'It is our own archive.', ...work])
  await look(runs => runs.settled(runId, reading.last.sequence))
  const after = await story(runId)
  say(...linesOf(after, color).slice(asked.length), visible(`the editor says: ${JSON.stringify(after.outputs?.editing ?? null)}`))
  return 'Being shown a tool is not being allowed to use it: the policy decides, and a person where the policy says so.'
}

interface Listed {
  readonly approval: string
  readonly runId: string | null
  readonly wants: { readonly tool: string; readonly arguments: unknown }
}

const linesOf = ({ tools }: Story, color: Stage['color']): readonly string[] =>
  tools.map(use => `${AGENTS[use.nodeId] ?? use.nodeId}  ${toolLine(use, color)}`)
