// Formats a regression report for a person: the counts, then every cause with its extent and one example. Pure.
import pc from 'picocolors'
import { ACTIVE_LABEL } from '../../core/library/events.ts'
import type { CauseCount, Example, Tally } from '../../core/regression/tally.ts'
import type { Regression } from '../../engine/regression/regression.ts'
import type { Unreached } from '../../engine/regression/unreached.ts'
import { wrapped } from '../demo/shell-words.ts'
import { clip, visible } from '../report/visible.ts'
import { counted } from '../workspace/format.ts'

type Colors = ReturnType<typeof pc.createColors>

/** The proposal: a version, or a folder proposed as one. */
export interface AskedAgainst extends Tally, Pick<Regression, 'workspaces' | 'unreached'> {
  /** Runs that were not compared. */
  readonly older?: number
  readonly replays?: number
  readonly against: {
    /** Absent where only labels move. */
    readonly workspace?: string
    readonly version?: number
    readonly folder?: string
    readonly root: string
    /** The requested moves: labels, and versions to activate. */
    readonly moved?: readonly string[]
  }
}

const WIDTH = 96

export function regressionPage(asked: AskedAgainst, useColor: boolean): string {
  const color = pc.createColors(useColor)
  const { runs, prompts, unchanged, changed, failing, gone, untold, unsound, unsoundRuns, causes, older = 0, replays = 0 } = asked
  const lines = [
    `${counted(prompts, 'prompt')} of ${counted(runs, 'run')}, made again with ${againstText(asked)}:`,
    ...(failing === 0 ? [] : [color.red(`  ✗ ${failing} could not be composed`)]),
    ...(changed === 0 ? [] : [color.yellow(`  ≠ ${changed} would change`)]),
    ...(gone === 0 ? [] : [color.yellow(`  – ${gone} would no longer be there`)]),
    ...(untold === 0 ? [] : [color.yellow(`  ? ${untold} cannot be determined from the record`)]),
    color.green(`  = ${unchanged} stay as they are`),
    ...(older === 0 ? [] : [`  ${counted(older, 'older run')} not looked at`]),
    ...(replays === 0 ? [] : [`  ${counted(replays, 'replay')} left out: the prompts of other runs once more`]),
    ...elsewhereLines(asked),
    ...asked.unreached.flatMap(one => unreachedLines(one, color)),
    ...(causes.length === 0 ? [] : ['', 'By cause. A prompt is listed under every cause that changes it.']),
    ...causes.flatMap(cause => ['', ...causeLines(cause, color)]),
    ...(unsound === 0
      ? []
      : [
          '',
          color.red(`${counted(unsound, 'run')} left out, because the record is not what it was when they ran:`),
          ...unsoundRuns.map(({ runId, problem }) => clip(visible(`  ${runId}: ${problem}`), WIDTH)),
          ...(unsound > unsoundRuns.length ? [`  and ${unsound - unsoundRuns.length} more`] : []),
        ]),
  ]
  return `${lines.join('\n')}\n`
}

function againstText({ against: { workspace, version, folder, moved = [] } }: AskedAgainst): string {
  const place = folder === undefined ? `version ${version} of ${workspace} in place` : `${folder} in place of ${workspace}`
  return visible([...(workspace === undefined ? [] : [place]), ...moved].join(', '))
}

/** Content of other workspaces was not compared. The report must say so. */
const elsewhereLines = ({ against: { workspace }, workspaces }: AskedAgainst): readonly string[] =>
  workspace === undefined || workspaces.length === 0 || workspaces.includes(workspace)
    ? []
    : [clip(visible(`  Preludes and catalogs were not compared: they are of ${workspaces.join(', ')}, and none of ${workspace}`), WIDTH)]

/** A new version that no label points to changes nothing: the report must not read as a verdict about its text. */
function unreachedLines({ templateId, version, file, label, stays }: Unreached, color: Colors): readonly string[] {
  const move = label === ACTIVE_LABEL ? `--activate ${templateId}@${version}` : `--label ${templateId}@${label}=${version}`
  return [
    color.yellow(visible(`  ! ${templateId} ${version} changes nothing yet: the label ${label} stays at ${stays}  ${file}`)),
    visible(`    To see what it would change, add ${move}`),
  ]
}

function causeLines(cause: CauseCount, color: Colors): readonly string[] {
  const { prompts, runs, failing, gone, untold, examples } = cause
  const sign = failing > 0 ? color.red('✗') : color.yellow(gone === prompts ? '–' : untold === prompts ? '?' : '≠')
  const rest = [
    failing === 0 ? '' : failing === prompts ? ', none of which could be composed' : `, ${failing} of which could not be composed`,
    gone === 0 ? '' : `, ${share(gone, prompts)} would no longer be there`,
    untold === 0 ? '' : `, ${share(untold, prompts)} cannot be determined: the record does not contain the host's own tools`,
  ].join('')
  return [
    `${sign} ${color.bold(visible(nameText(cause)))}${cause.file === undefined ? '' : color.dim(visible(`  ${cause.file}`))}`,
    `  ${counted(prompts, 'prompt')} in ${counted(runs, 'run')}${rest}`,
    ...(examples[0] === undefined ? [] : exampleLines(examples[0], color)),
  ]
}

const share = (count: number, prompts: number): string => (count === prompts ? 'which' : `${count} of which`)

function nameText({ cause, name, part, from, to, sameVersion }: CauseCount): string {
  if (sameVersion) return `${cause} ${name} ${to}: another text under the same version`
  const what = `${cause} ${name}${part === undefined ? '' : `, ${partText(part)}`}`
  // Digests of two contents are not useful to a person.
  if ([from, to].some(one => one?.startsWith('sha256:'))) return what
  return `${what}: ${from ?? 'nothing'} → ${to ?? 'nothing'}`
}

const partText = (part: string): string =>
  part === 'nodes' ? 'order of nodes' : part.startsWith('nodes/') ? `node ${part.slice('nodes/'.length)}` : part

function exampleLines(example: Example, color: Colors): readonly string[] {
  const { runId, nodeId, visit, step, block, template, layer, variable, found, lines } = example
  const place = `${runId}, ${nodeId}${visit === 1 ? '' : `, visit ${visit}`}, step ${step}`
  if (block === null) return [color.dim(visible(`  ${place}`)), ...longLines(visible(found ?? '')).map(line => color.red(line))]
  const by = [
    block === 'prelude' || block === 'tools' ? block : `block ${block}`,
    template === undefined ? undefined : `${template}${layer === undefined ? '' : ` (${layer})`}`,
    variable,
  ]
  const where = by.filter(one => one !== undefined).join(', ')
  return [
    color.dim(visible(`  ${place}: ${where}`)),
    ...lines.map(line => (line.startsWith('-') ? color.red : color.green)(`    ${clip(visible(line), WIDTH)}`)),
  ]
}

/** Wraps a sentence that is longer than a line. */
const longLines = (text: string): readonly string[] => `    ${wrapped(text.split(' '), WIDTH - 4, '\n    ')}`.split('\n')
