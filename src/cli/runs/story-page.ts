// A run's story for a person: how it stands, who did what, which prompt won, what was allowed, what came of it.
import pc from 'picocolors'
import type { ProviderWait } from '../../wire/onbook/sessions.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { groupBy } from '../report/groups.ts'
import { clip, visible } from '../report/visible.ts'
import { changeText } from './changes-page.ts'
import { choiceText, endText, shortHash, stallText, verdictText } from './format.ts'
import { growthLines } from './growth.ts'
import type { Story, ToldStep } from './story.ts'
import { placeAgain, workAgain } from './typed-again.ts'

/** More of an output is in `--json`. */
const MOST_OF_AN_OUTPUT = 2_000

/** @param input what the command was given: what it tells people to type next has it too */
export function storyPage(story: Story, useColor: boolean, input: Input): string {
  const color = pc.createColors(useColor)
  const section = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? '' : `\n${color.bold(title)}\n${lines.map(line => `  ${line}\n`).join('')}`
  return [
    headOf(story)
      .map(line => `${visible(line)}\n`)
      .join(''),
    section('nodes', nodesTable(story.nodes)),
    section(
      'edges followed',
      story.edges.map(({ from, to }) => visible(`${from} → ${to}`)),
    ),
    section('added and sent by agents', growthLines(story.added).map(visible)),
    section('prompts chosen', choicesOf(story)),
    section('prompts sent', tableOf(['node', 'visit', 'step', 'prompt', 'sent', 'mode', 'answer'], story.sent.map(sentRow))),
    section(
      'tools',
      story.tools.map(({ nodeId, tool, verdict, status, failure }) =>
        visible(`${nodeId}: ${verdictText(tool, verdict)}${status === null ? '' : `; ${endText(status, failure)}`}`),
      ),
    ),
    section('files changed', story.sent.flatMap(changesOf)),
    section('warnings', [...new Set(story.warnings.map(({ nodeId, code, message }) => visible(`${nodeId}: ${message} (${code})`)))]),
    section(
      'overrides',
      story.overrides.map(({ nodeId, text, by }) => visible(`${nodeId ?? 'every node'}, by ${by}: ${text === null ? 'removed' : text}`)),
    ),
    section(
      'outputs',
      Object.entries(story.outputs ?? {}).map(([nodeId, output]) =>
        visible(`${nodeId}: ${clip(typeof output === 'string' ? output : JSON.stringify(output), MOST_OF_AN_OUTPUT)}`),
      ),
    ),
    nextOf(story, input)
      .map(line => `\n${visible(line)}\n`)
      .join(''),
  ].join('')
}

function headOf({
  runId,
  workflowId,
  version,
  status,
  createdAt,
  createdBy,
  changedAt,
  mode,
  steps,
  tokens,
  error,
  forkOf,
  waiting,
}: Story): readonly string[] {
  return [
    `${runId} of ${workflowId} ${version} is ${status}`,
    `started ${createdAt} by ${createdBy}, last changed ${changedAt}`,
    ...(waiting === null ? [] : [waitText(waiting)]),
    ...(forkOf === null ? [] : [forkText(forkOf)]),
    `mode ${mode}; steps: ${steps}, tokens: ${tokens}`,
    ...(error === null ? [] : [`failed${error.nodeId === null ? '' : ` at ${error.nodeId}`} (${error.code}): ${error.message}`]),
  ]
}

const waitText = ({ provider, since, message }: ProviderWait): string => `waits for provider ${provider} since ${since}: ${message}`

const forkText = ({ runId, mode, fromSeq }: NonNullable<Story['forkOf']>): string => `a ${mode} of ${runId}, from event ${fromSeq}`

/** Most nodes keep their messages in the run: sessions have a column only where there are some. */
function nodesTable(nodes: Story['nodes']): readonly string[] {
  const hasSessions = nodes.some(({ session }) => session !== null)
  const rowOf = ({ nodeId, status, visits, steps, session }: Story['nodes'][number]): readonly string[] => [
    nodeId,
    status,
    String(visits),
    String(steps),
    ...(hasSessions ? [session ?? ''] : []),
  ]
  return tableOf(['node', 'status', 'visits', 'steps', ...(hasSessions ? ['session'] : [])], nodes.map(rowOf))
}

const sentRow = ({ nodeId, visit, step, promptHash, sent, mode, failure, settled, tokens }: ToldStep): readonly string[] => [
  nodeId,
  String(visit),
  String(step),
  shortHash(promptHash),
  sent.kind,
  mode,
  failure !== null ? failure.code : settled ? `answered${tokens === null ? '' : `, ${tokens} tokens`}` : 'running',
]

const changesOf = ({ nodeId, visit, step, changes }: ToldStep): readonly string[] =>
  changes.map(change => visible(`${nodeId}, visit ${visit}, step ${step}: ${changeText(change)}`))

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  rows.length === 0
    ? []
    : columns([head, ...rows])
        .trimEnd()
        .split('\n')

/** A node that chose the same in every visit says so once. */
const choicesOf = ({ prompts }: Story): readonly string[] =>
  [...groupBy(prompts, ({ nodeId }) => nodeId)].flatMap(([nodeId, choices]) => [
    visible(nodeId),
    ...new Set(choices.map(({ kind, resolved, chain }) => visible(`  ${choiceText(kind, resolved, chain)}`))),
  ])

/** What can be done about it. */
export function nextOf(story: Story, input: Input): readonly string[] {
  const { runId, status, paused, approvals, nodes, sent } = story
  if (status === 'waiting') return ['Start the host with the missing provider: the run then continues by itself.']
  const work = workAgain(input)
  const resume = `onbook run resume ${runId}${work}`
  if (paused?.evidence != null)
    return [
      `${paused.nodeId} ${stallText(paused.evidence)}.`,
      `Tell it what to do differently: onbook run say ${runId} ${paused.nodeId} TEXT${work}`,
      `Then: ${resume}`,
    ]
  if (paused !== null) return [`Resume: ${resume}`]
  if (approvals.length > 0) return approvals.map(({ approval }) => `Decide, approve or deny: onbook approval approve ${approval}${work}`)
  const waiting = nodes.filter(one => one.status === 'waiting')
  if (status === 'waiting-input') return waiting.map(({ nodeId }) => `Answer: onbook run say ${runId} ${nodeId} TEXT${work}`)
  if (status === 'running' || status === 'cancelling') return [`If no process runs it any more: ${resume}`]
  const last = sent.at(-1)
  return last === undefined
    ? []
    : [`See the exact prompt: onbook show ${runId} --node ${last.nodeId} --step ${last.step}${placeAgain(input)}`]
}
