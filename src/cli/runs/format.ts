// Events of a run as lines for a person: a line has whom it is about and what it says.
import type { Json } from '../../core/digest/digest.ts'
import type { Verdict } from '../../core/gate/authorize.ts'
import type { TraceEntry } from '../../core/resolve/resolve.ts'
import type { RunEvent } from '../../core/run/events.ts'
import type { StallEvidence } from '../../core/run/stall.ts'
import type { Failure } from '../../core/session/events.ts'
import type { PromptRecord } from '../../core/turn/events.ts'
import { answerText } from '../report/answer-text.ts'
import { snapshotText } from '../report/snapshot-text.ts'
import { clip } from '../report/visible.ts'
import type { Bodies } from './bodies.ts'
import { changeText } from './changes-page.ts'

export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'bad'

export interface Line {
  /** Null for the run itself. */
  readonly nodeId: string | null
  readonly text: string
  readonly tone: Tone
}

type Of<T extends RunEvent['type']> = Extract<RunEvent, { readonly type: T }>
type Words = { readonly [T in RunEvent['type']]: (event: Of<T>, bodies: Bodies) => readonly Line[] | Promise<readonly Line[]> }

export const shortHash = (digest: string): string => `${String(digest).slice(0, 'sha256:'.length + 12)}…`
export const sizeText = (bytes: number): string => (bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`)
const quoted = (text: string): string => JSON.stringify(clip(text, 200))

const run = (text: string, tone: Tone = 'plain'): readonly Line[] => [{ nodeId: null, text, tone }]
const at = (nodeId: string, text: string, tone: Tone = 'plain'): readonly Line[] => [{ nodeId, text, tone }]

/** A layer that has nothing to say about a kind. */
const isSilent = ({ applied, ref, code }: TraceEntry): boolean => !applied && ref === null && code !== 'prompt_ref_invalid'

/** `system  prompt:writer@1.2.0  (node; over workflow-defaults)`: who won, and over whom. */
export function choiceText(kind: string, resolved: string | null, trace: readonly TraceEntry[]): string {
  const winner = trace.find(({ applied }) => applied)
  const over = trace.filter(({ code }) => code === 'superseded').map(({ layer }) => layer)
  const spoke = trace.find(entry => !isSilent(entry))
  const name = kind.padEnd('schema-hint'.length)
  if (winner === undefined) return `${name}  none${spoke === undefined ? '' : `  (${spoke.layer}: ${spoke.reason})`}`
  return `${name}  ${resolved}  (${winner.layer}${over.length === 0 ? '' : `; over ${over.join(', ')}`})`
}

export async function blocksText({ blocks }: PromptRecord, bodies: Bodies): Promise<string> {
  const sizes: string[] = []
  for (const [block, digest] of Object.entries(blocks)) sizes.push(`${block} ${sizeText((await bodies.bytes(digest))?.length ?? 0)}`)
  return sizes.join(', ')
}

export function verdictText(tool: string, { decision, conditions }: Verdict): string {
  const failed = conditions.find(({ outcome }) => outcome === 'failed')
  return `${tool} is ${decision}${failed === undefined ? '' : ` (${failed.condition}): ${failed.reason}`}`
}

/** Of a call that was refused, the verdict has said why. */
export const endText = (status: string, failure: Failure | null): string =>
  failure === null ? status : `${status} (${failure.code})${failure.code === 'tool_refused' ? '' : `: ${clip(failure.detail, 200)}`}`

/** The messages that are sent before the history. */
function beforeHistory({ source, snapshot }: Of<'step.started'>): string {
  if (source === 'direct') return 'with messages by digest'
  return source === 'workspace' && snapshot !== null ? `with ${snapshotText(snapshot)}` : 'with nothing before the history'
}

const SIGNALS: Readonly<Record<StallEvidence['signal'], string>> = {
  same_prompt: 'it received the same prompt',
  same_reply: 'it gave the same reply',
  cycle: 'it repeats the same replies in rotation',
  many_steps: 'it took many steps',
}

export function stallText({ signal, times, replyHashes, period = 2, calls = [] }: StallEvidence): string {
  const causes = calls.map(({ tool, status }) =>
    status === 'succeeded' ? `${tool} gave the same result as before and no file changed` : `${tool} ended ${status}`,
  )
  const because = causes.length === 0 ? '' : `: ${causes.join('; ')}`
  if (signal === 'many_steps')
    return `has taken ${times} steps, as many as budget.stepsPerNode of the workflow allows before a person looks${because}. Resuming allows as many again`
  const what = signal === 'cycle' ? `${SIGNALS.cycle}, ${period} of them` : SIGNALS[signal]
  const hashes = [...new Set(replyHashes)].map(shortHash).join(', ')
  return `repeats itself: ${what}, ${times} steps in a row, without a result${because} (${hashes})`
}

const WORDS: Words = {
  // The mode is for graphs: nothing in a session run depends on it.
  'run.created': ({ runId, workflowId, version, mode, direct }) =>
    run(
      direct === undefined ? `${runId} of ${workflowId} ${version} starts, mode ${mode}` : `${runId} of session ${direct.session} starts`,
      'strong',
    ),
  'run.claimed': ({ epoch }) => run(`is resumed, epoch ${epoch}`),
  async 'node.started'({ nodeId, visit, handoffs }, bodies) {
    const given = handoffs === null ? null : await bodies.json<readonly { readonly from: string }[]>(handoffs)
    const by = given === null ? '' : `, handed over by ${given.map(({ from }) => from).join(', ')}`
    return at(nodeId, `starts${visit === 1 ? '' : `, visit ${visit}`}${by}`, 'strong')
  },
  async 'prompt.traced'({ nodeId, kind, resolved, trace }, bodies) {
    const chain = (await bodies.json<readonly TraceEntry[]>(trace)) ?? []
    return chain.every(isSilent) ? [] : at(nodeId, `  ${choiceText(kind, resolved, chain)}`)
  },
  // The lines of `prompt.traced` and `step.started` have said it.
  'prompt.composed': () => [],
  async 'step.started'(event, bodies) {
    const { nodeId, step, prompt, request } = event
    const { provider, model } = request.parameters
    const asks = `  step ${step} asks ${provider} ${model}`
    // A session that is asked directly has no blocks: its messages are sent as they are.
    if (Object.keys(prompt.blocks).length === 0) return at(nodeId, `${asks}, ${beforeHistory(event)}`)
    const sent = prompt.sent.kind === 'delta' ? '; only what is new is sent' : ''
    return at(nodeId, `${asks}: ${await blocksText(prompt, bodies)}; prompt ${shortHash(prompt.full)}${sent}`)
  },
  'step.retried': ({ nodeId, step, attempt, code, detail }) =>
    at(nodeId, `  step ${step} is retried, attempt ${attempt} (${code}): ${detail}`),
  'step.settled': ({ nodeId, step, failure, tokens }) =>
    failure === null
      ? at(nodeId, `  step ${step} is answered${tokens === null ? '' : `, ${tokens} tokens`}`)
      : at(nodeId, `  step ${step} has no answer (${failure.code}): ${failure.detail}`, 'bad'),
  // The verdict on each call has a line of its own.
  'calls.asked': () => [],
  async 'message.received'({ nodeId, message: { kind, id, message } }, bodies) {
    return at(nodeId, `  receives a ${kind} (${id}): ${quoted((await bodies.said(message)) ?? '(erased)')}`)
  },
  'message.taken': ({ nodeId, id }) => at(nodeId, `  reads message ${id}`),
  // The request to a person has a line of its own.
  'call.judged': ({ nodeId, tool, verdict }) =>
    verdict.decision === 'waiting' ? [] : at(nodeId, `  ${verdictText(tool, verdict)}`, verdict.decision === 'refused' ? 'bad' : 'plain'),
  'call.settled': ({ nodeId, tool, ...end }) => at(nodeId, `  ${tool}: ${endText(end.status, end.status === 'failed' ? end : null)}`),
  'files.changed': ({ nodeId, ...change }) => at(nodeId, `  ${changeText(change)}`),
  'node.waiting': ({ nodeId }) => at(nodeId, 'waits for a person to say something'),
  'node.resumed': ({ nodeId }) => at(nodeId, 'goes on'),
  'node.completed': ({ nodeId }) => at(nodeId, 'is done', 'good'),
  'node.failed': ({ nodeId, code, detail }) => at(nodeId, `failed (${code}): ${detail}`, 'bad'),
  'node.skipped': ({ nodeId, reason }) => at(nodeId, `is passed over: ${reason}`, 'dim'),
  'node.cancelled': ({ nodeId }) => at(nodeId, 'is cancelled', 'bad'),
  'node.spawned': ({ nodeId, by, role, label }) => at(nodeId, `is added by ${by}, as ${role.name}: ${quoted(label)}`, 'strong'),
  'edge.created': ({ nodeId, from, to, bidirectional, label }) =>
    at(nodeId, `  makes an edge ${from} ${bidirectional ? '<->' : '->'} ${to}: ${quoted(label)}`),
  async 'handoff.sent'({ nodeId, handoff, to, body, answers, awaits }, bodies) {
    const sent = await bodies.json<{ readonly handoff: { readonly message: string } }>(body)
    const why = answers === null ? '' : `, the reply to ${answers}`
    return at(
      nodeId,
      `  sends ${handoff} to ${to}${why}${awaits === null ? '' : ', and waits'}: ${quoted(sent?.handoff.message ?? '(erased)')}`,
    )
  },
  'handoff.delivered': ({ nodeId, handoff }) => at(nodeId, `  has ${handoff}`),
  'handoff.expired': ({ nodeId, handoff }) => at(nodeId, `  has timed out waiting for the reply to ${handoff}`, 'bad'),
  'edge.followed': ({ edgeId, to, time }) => at(to, `will start again: edge ${edgeId} leads back, time ${time}`),
  'run.paused': ({ reason }) => (reason === 'asked' ? run('is paused') : []),
  'run.overlaid': () => run('continues with other prompts or another model from here'),
  'replay.diverged': ({ nodeId, divergencePoint, atSequence }) =>
    run(`${divergencePoint}${nodeId === null ? '' : ` of ${nodeId}`} is not what event ${atSequence} of its source says`),
  'version.pinned': ({ kind }) => run(`the host’s default for ${kind} has changed since, and does not affect this run`),
  'run.stalled': ({ nodeId, evidence }) => [...at(nodeId, stallText(evidence), 'bad'), ...run('is paused, because a node stalled')],
  'run.resumed': () => run('is resumed'),
  'run.modeChanged': ({ mode, approval }) => run(`mode is now ${mode}${approval === null ? '' : ', as approved'}`),
  async 'override.given'({ nodeId, text }, bodies) {
    if (text === null) return run(`the override for ${nodeId ?? 'every node'} is removed`)
    const given = await bodies.json<{ readonly text: string }>(text)
    return run(`override for ${nodeId ?? 'every node'}: ${quoted(given?.text ?? '(erased)')}`)
  },
  async 'approval.requested'({ approval, nodeId, wants }, bodies) {
    if (wants.kind === 'mode') return at(nodeId, `asks for mode ${wants.mode} (${approval}): ${quoted(wants.reason)}`)
    const asked = clip(JSON.stringify(await bodies.json<Json>(wants.arguments)), 200)
    return [...at(nodeId, `  waits for a person: ${wants.tool} ${asked}`, 'strong'), ...at(nodeId, `  ${approval}`, 'dim')]
  },
  'approval.resolved': ({ nodeId, approval, ...answer }) =>
    at(nodeId, `  ${answerText(answer)} (${approval})`, answer.decision === 'approved' ? 'good' : 'bad'),
  'log.appended': ({ level, nodeId, code, message }) => at(nodeId, `  ${level} (${code}): ${message}`, 'dim'),
  'run.cancelling': ({ reason }) => run(`is being cancelled${reason === null ? '' : `: ${reason}`}`),
  'run.completed': () => run('is completed', 'good'),
  'run.failed': ({ code, detail }) => run(`failed (${code}): ${detail}`, 'bad'),
  'run.cancelled': () => run('is cancelled', 'bad'),
}

export async function linesOf(event: RunEvent, bodies: Bodies): Promise<readonly Line[]> {
  const words = WORDS[event.type] as ((event: RunEvent, bodies: Bodies) => readonly Line[] | Promise<readonly Line[]>) | undefined
  return (await words?.(event, bodies)) ?? []
}
