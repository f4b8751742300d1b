// The first page of the demo: three agents, the prompt of each and why, its permissions, and what to try next. Pure.
import pc from 'picocolors'
import type { Condition } from '../../core/gate/authorize.ts'
import { clip, visible } from '../report/visible.ts'
import { shortHash, sizeText } from '../runs/format.ts'
import type { Story, ToldStep, ToolUse } from '../runs/story.ts'
import { counted } from '../workspace/format.ts'
import { type Colors, chainLines } from './chain-lines.ts'
import { quoted, wrapped } from './shell-words.ts'

/** The parts of a run that the page shows. */
export interface ShownRun extends Pick<Story, 'runId' | 'status' | 'steps' | 'createdAt' | 'outputs' | 'prompts' | 'tools'> {
  readonly nodes: readonly Pick<Story['nodes'][number], 'nodeId' | 'visits'>[]
  readonly sent: readonly Pick<ToldStep, 'nodeId' | 'promptHash'>[]
}

export interface FirstPage {
  readonly story: ShownRun
  /** Sizes of prompts, by their hashes. */
  readonly bytes: ReadonlyMap<string, number>
  /** The demo's folder, relative to where the demo was started. */
  readonly folder: string
  /** The number of runs before the demo was started; 0 for a new one. */
  readonly before: number
  /** Null when no host runs. */
  readonly host: { readonly url: string; readonly loginUrl: string } | null
  readonly stories: readonly { readonly name: string; readonly summary: string }[]
  /** The options that a command needs to find this demo. */
  readonly again: readonly string[]
}

export function firstPage(page: FirstPage, useColor: boolean): string {
  const color = pc.createColors(useColor)
  const { story, bytes } = page
  const lines = [
    `${color.bold('Onbook')}  ${color.dim('the record of what an AI agent was sent and what it was allowed to do')}`,
    '',
    ...introduction(page),
    '',
    ...story.nodes.flatMap(node => [...agentLines(story, node, bytes, color), '']),
    ...hostLines(page, color),
    '',
    color.bold(page.host === null ? 'Try next' : 'Try next, in a second terminal'),
    ...tryLines(page, color),
  ]
  return `${lines.join('\n')}\n`
}

const WIDTH = 80
const paragraph = (text: string): string => wrapped(visible(text).split(' '), WIDTH, '\n')

function introduction({ story, folder, before }: FirstPage): readonly string[] {
  const { runId, status, steps, createdAt, outputs } = story
  const day = createdAt.slice(0, 16).replace('T', ' at ')
  const what =
    before === 0
      ? 'A writer, a critic and an editor have just written a story;'
      : `${folder} is there already, with ${counted(before, 'run')}; to start over, remove it. In its first, on ${day} UTC, a writer, a critic and an editor wrote a story;`
  const why =
    'a script played the model, so no key and no network. For each of them the record says which of the places its prompt could come from won, what bytes were sent, and whether the tool it asked for was allowed.'
  return [paragraph(`${what} ${why}`), '', visible(`${runId} is ${status}, ${steps} steps:`), `  ${headlineOf(outputs)}`]
}

function headlineOf(outputs: Story['outputs']): string {
  const printed = Object.values(outputs ?? {}).find(output => typeof output === 'object' && output !== null && 'headline' in output)
  return printed === undefined ? 'nothing was printed' : `“${visible(clip(String((printed as { headline: unknown }).headline), 70))}”`
}

function agentLines(
  { prompts, sent, tools }: ShownRun,
  { nodeId, visits }: ShownRun['nodes'][number],
  bytes: FirstPage['bytes'],
  color: Colors,
): readonly string[] {
  const told = sent.filter(one => one.nodeId === nodeId)
  return [
    `${color.bold(visible(nodeId))}${visits > 1 ? color.dim(`, ${visits} visits`) : ''}`,
    ...labelled('system', chainLines(prompts, nodeId, color)),
    ...labelled('prompt', promptLines(told, bytes)),
    ...labelled(
      'tools',
      tools.filter(one => one.nodeId === nodeId).map(one => toolLine(one, color)),
    ),
  ]
}

const labelled = (label: string, lines: readonly string[]): readonly string[] =>
  lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(8)}${line}`)

function promptLines(told: ShownRun['sent'], bytes: FirstPage['bytes']): readonly string[] {
  const last = told.at(-1)
  if (last === undefined) return []
  const size = bytes.get(last.promptHash)
  const which = told.length === 1 ? '' : `, the last of ${told.length}`
  return [`${shortHash(last.promptHash)}  ${size === undefined ? '' : sizeText(size)}${which}`]
}

/** Why a call was stopped, in a few words. The decision on record has the whole reason. */
const LACKS: Readonly<Record<Condition, string>> = {
  well_formed: 'its arguments do not fit',
  visible: 'not shown to this agent',
  bound: 'this host cannot do it',
  granted: 'shown to this agent, but not granted',
  requested: 'its role does not ask for it',
  node: 'its node does not allow it',
  mode: 'the mode does not allow it',
  approved: 'a person has to approve it',
}

export function toolLine({ tool, verdict, status }: ToolUse, color: Colors): string {
  const failed = verdict.conditions.find(({ outcome }) => outcome === 'failed')
  if (failed === undefined) return `${color.green('✓')} ${visible(tool)}  ${verdict.decision}, ${status ?? 'running'}`
  const mark = verdict.decision === 'waiting' ? color.yellow('•') : color.red('✗')
  return `${mark} ${visible(tool)}  ${verdict.decision}: ${LACKS[failed.condition]}`
}

function hostLines({ host, story, folder }: FirstPage, color: Colors): readonly string[] {
  return [
    color.bold('The exact prompt of the writer'),
    `  cd ${quoted(visible(folder))} && npx onbook show ${story.runId} --node writer`,
    ...(host === null
      ? []
      : [`${color.bold('The host')} is at ${host.url} until Ctrl-C. Sign in within ten minutes:`, `  ${host.loginUrl}`]),
  ]
}

function tryLines({ stories, again }: FirstPage, color: Colors): readonly string[] {
  const widest = Math.max(...stories.map(({ name }) => name.length))
  const more = again.length === 0 ? '' : ` ${again.map(quoted).join(' ')}`
  return stories.map(({ name, summary }) => `  npx onbook demo ${name}${more}${' '.repeat(widest - name.length)}  ${color.dim(summary)}`)
}
