// Formats the why report for a person: the chain in the format of OpenWOP RFC 0029 §D, then the active versions. Pure.
import pc from 'picocolors'
import type { ActiveSteps, EventPlace } from '../../core/why/active-since.ts'
import { isSilent, refusedIn } from '../../core/why/chain.ts'
import type { LabelMoves, WhyLayer } from '../../engine/why/label-moves.ts'
import type { WhyAnswer, WhyChoice } from '../../engine/why/why.ts'
import { groupBy } from '../report/groups.ts'
import { visible } from '../report/visible.ts'
import { shortHash } from '../runs/format.ts'

type Colors = ReturnType<typeof pc.createColors>
/** For files on disk, only the choice is known. */
type Shown = WhyChoice & Partial<WhyAnswer>

const indented = (lines: readonly string[], by: number): readonly string[] => lines.map(line => `${' '.repeat(by)}${line}`)

export function whyPage(answers: readonly Shown[], useColor: boolean): string {
  const color = pc.createColors(useColor)
  const nodes = [...groupBy(answers, ({ nodeId }) => nodeId).values()]
  return nodes.map(node => `${nodeLines(node, color).join('\n')}\n`).join('\n')
}

function nodeLines(answers: readonly Shown[], color: Colors): readonly string[] {
  const { nodeId, agentId, visit = 1, active = [] } = answers[0]!
  const about = [...(agentId === null ? [] : [`agent ${agentId}`]), ...(visit === 1 ? [] : [`visit ${visit}`])].join(', ')
  // With one kind selected, every layer of it is shown.
  const silent = answers.length === 1 ? [] : answers.filter(({ chain }) => isSilent(chain))
  return [
    `▸ ${color.bold(visible(`node:${nodeId}`))}${about === '' ? '' : color.dim(visible(`  ${about}`))}`,
    ...indented(
      [
        ...answers.filter(one => !silent.includes(one)).flatMap(one => kindLines(one, color)),
        ...(silent.length === 0 ? [] : [color.dim(visible(`no layer offers anything for ${silent.map(({ kind }) => kind).join(', ')}`))]),
        ...active.flatMap(steps => inForceLines(steps, color)),
      ],
      3,
    ),
  ]
}

function kindLines({ kind, slot, resolved, chain }: Shown, color: Colors): readonly string[] {
  if (chain.length === 0) return ['session run: its messages are sent as they are, without layers']
  const winner = chain.find(({ applied }) => applied)
  const refused = refusedIn(chain)
  const pinned = winner?.digest === undefined ? '' : color.dim(visible(`  ${shortHash(winner.digest)} ${placeText(winner)}`))
  const none = refused === null ? 'none' : color.red(visible(`none — ${refused.layer}: ${refused.reason}`))
  return [
    visible(`kind: ${kind}${slot === 0 ? '' : `, entry ${slot + 1}`}`),
    `resolved: ${resolved === null ? none : `${color.bold(visible(resolved))}${pinned}`}`,
    'chain:',
    ...indented(
      chain.flatMap(entry => layerLines(entry, color)),
      2,
    ),
  ]
}

const placeText = ({ snapshot, owner, library }: WhyLayer): string =>
  snapshot === undefined
    ? `${owner === undefined ? 'in library' : "in the host's library"} ${library}`
    : `in workspace ${snapshot.workspace} version ${snapshot.version}`

function layerLines(entry: WhyLayer, color: Colors): readonly string[] {
  const { layer, applied, source, written, code, reason, label } = entry
  const offered = source === undefined ? 'none' : written === undefined ? source : `${written} → ${source}`
  const why = applied || code === 'nothing_here' ? '' : ` — ${reason}`
  const line = visible(`${layer} (${offered})${why}`)
  return [
    applied ? `${color.green('✓')} ${line}` : color.dim(`✗ ${line}`),
    ...indented(
      [...(label === undefined ? newestLines(entry) : movesLines(label)), ...snapshotLines(entry), ...publishedLines(entry).map(color.dim)],
      4,
    ),
  ]
}

const newestLines = ({ meant }: WhyLayer): readonly string[] =>
  meant === 'newest' ? ['the latest release: no version was ever active'] : []

const snapshotLines = ({ meant, snapshot, adopted = [] }: WhyLayer): readonly string[] =>
  snapshot === undefined
    ? []
    : [
        visible(
          `${meant === 'snapshot' ? 'the active version in' : 'only in'} ${snapshot.workspace} version ${snapshot.version}, ${shortHash(snapshot.root)}`,
        ),
        ...adopted.map(event => visible(eventText(event))),
      ]

/** The publication of the template, then of the document that names it. */
const publishedLines = ({ published, definition }: WhyLayer): readonly string[] => [
  ...(published === undefined ? [] : [visible(`published ${whenText(published)}`)]),
  ...(definition === undefined ? [] : [visible(`${definition.stream.replace('/', ' ')} published ${whenText(definition)}`)]),
]

const whenText = ({ at, actor }: EventPlace): string => `${at} by ${actor}`

/** Of the label, up to the moment at which it was looked at. */
const movesLines = ({ label, moves }: LabelMoves): readonly string[] =>
  moves.map(({ to, at, actor, why }) =>
    visible(`${label} ${to === null ? 'removed' : `→ ${to}`}, ${at} by ${actor}${why === null ? '' : `: ${why}`}`),
  )

function inForceLines(held: ActiveSteps, color: Colors): readonly string[] {
  const { snapshot, adopted, role, mode, policy, takenFrom, before } = held
  const [first, last] = held.steps
  const fact = (what: string, events: readonly EventPlace[]): readonly string[] => [
    visible(what),
    ...events.map(event => color.dim(visible(`  ${eventText(event)}`))),
  ]
  const used = snapshot === null ? 'none' : `${snapshot.workspace} version ${snapshot.version}, ${shortHash(snapshot.root)}`
  const parts = [
    snapshot?.prelude && `prelude ${snapshot.prelude.name}`,
    snapshot?.catalog && `catalog ${snapshot.catalog.name}`,
    snapshot?.packs && 'packs',
  ]
  return [
    visible(`active in ${first === last ? `step ${first}` : `steps ${first} to ${last}`}:`),
    ...indented(
      [
        ...(before === undefined ? [] : [visible(beforeText(before, snapshot))]),
        ...fact(`workspace: ${[used, ...parts.filter(part => part)].join(', ')}`, adopted),
        ...(role === null ? ['role: none'] : fact(`role: ${role.ref}, ${role.source}, ${shortHash(role.digest)}`, [role.since])),
        ...fact(`mode: ${mode.mode}`, [mode.since]),
        ...(policy === null ? [noPolicy(takenFrom)] : fact(`policy at that time: revision ${policy.revision}`, [policy.since])),
      ],
      2,
    ),
  ]
}

function beforeText({ source, messages }: NonNullable<ActiveSteps['before']>, snapshot: ActiveSteps['snapshot']): string {
  if (messages.length === 0) return 'before the history: nothing'
  const named = messages.map(shortHash).join(', ')
  return `before the history: ${source === 'direct' ? 'messages that its config names' : `prelude ${snapshot?.prelude?.name}`}, ${named}`
}

const noPolicy = (takenFrom: string | undefined): string =>
  takenFrom === undefined ? 'policy: the record has no policy' : visible(`policy: see run ${takenFrom}, which this step was copied from`)

const eventText = ({ type, at, actor, stream, sequence }: EventPlace): string =>
  `${type}, ${at} by ${actor}  (${stream.startsWith('run/') ? 'event' : stream} ${sequence})`
