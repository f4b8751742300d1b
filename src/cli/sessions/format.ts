// Formats events of a session, one sentence for each.
import type { Json } from '../../core/digest/digest.ts'
import { fromRecorded, type SessionEvent } from '../../core/session/events.ts'
import { SESSION_NODE } from '../../core/workflow/session-workflow.ts'
import type { ApplyAnswer, SyncAnswer, WirePackChange } from '../../wire/onbook/sessions.ts'
import { snapshotText } from '../report/snapshot-text.ts'
import { shortHash } from '../runs/format.ts'
import type { ShownEvent } from '../runs/watched-runs.ts'

const ownOf = (nodeId: string): string => (nodeId === SESSION_NODE ? '' : `, node ${nodeId}`)

/** Every event of a session has a sentence. `onbook show RUN` shows steps and calls. */
const WORDS: { readonly [T in SessionEvent['type']]: (payload: Extract<SessionEvent, { readonly type: T }>) => string } = {
  'session.created': ({ session }) => `session ${session} is created`,
  'session.configured': () => 'the configuration of the session changed',
  'session.refused': ({ command, message }) => `${command} is refused: ${message}`,
  'run.attached': ({ run, runId, nodeId }) => `run ${run} begins: ${runId}${ownOf(nodeId)}`,
  'run.detached': ({ run, runId, nodeId }) => `run ${run} has ended: ${runId}${ownOf(nodeId)}`,
  'run.refused': ({ run, stage, code, detail }) => `run ${run} is refused (${stage}, ${code}): ${detail}`,
  'message.appended': ({ message }) => `message ${shortHash(message)} is added to the transcript`,
  'message.left': ({ message: { kind, id, message } }) => `a ${kind} is left for the agent: message ${shortHash(message)}, id ${id}`,
  'messages.handedOver': ({ ids }) => `the run receives messages that were left: ${ids.join(', ')}`,
  'workspace.syncRequested': ({ selection }) => `a sync of ${selection.workspace.name} is requested`,
  'workspace.syncUnchanged': ({ workspace, version }) => `nothing new: ${workspace} is at version ${version}`,
  'workspace.snapshotReady': ({ snapshot }) => `ready, and waiting to be applied: ${snapshotText(snapshot)}`,
  'workspace.syncFailed': ({ stage, code, detail }) => `the sync failed (${stage}, ${code}): ${detail}`,
  'workspace.applyRequested': ({ when, untested = [] }) =>
    `apply is requested (${when})${untested.length === 0 ? '' : `, although tests did not pass: ${untested.join(', ')}`}`,
  'workspace.approved': ({ snapshot, at }) => `approved for the next ${at}: ${snapshotText(snapshot)}`,
  'workspace.deferred': ({ snapshot }) => `deferred to the next run: ${snapshotText(snapshot)}`,
  'workspace.applied': ({ snapshot, at }) => `active from ${at === 'now' ? 'now' : `this ${at}`} on: ${snapshotText(snapshot)}`,
  'workspace.superseded': ({ snapshot }) => `no longer approved: ${snapshotText(snapshot)}`,
  'workspace.refused': ({ message }) => `apply is refused: ${message}`,
}

/** Null for an event of a later version. */
export function sentenceOf({ type, payload }: ShownEvent): string | null {
  const event = fromRecorded({ type, payload: payload as unknown as Json })
  const words = WORDS[event.type] as ((payload: SessionEvent) => string) | undefined
  return words?.(event) ?? null
}

/** One pack that would change, with the proof of its tests. */
function packLine({ pack, from, to, warnings, tests, proof }: WirePackChange): string {
  if (to === null) return `${pack}: ${from} → no longer in the workspace; the library decides\n`
  const tested = tests === null ? 'untested' : `tests: ${tests.pass} pass, ${tests.fail + tests.error} fail`
  const how = proof === 'passed' ? '' : '; apply needs --untested'
  return `${pack}: ${from ?? 'none'} → ${to}${from === to ? ' with other text' : ''} (check: ${warnings} warnings; ${tested}${how})\n`
}

export function syncText(session: string, answer: SyncAnswer): string {
  switch (answer.outcome) {
    case 'ready':
      return `${answer.packs.map(packLine).join('')}Ready: ${snapshotText(answer.snapshot)}. Nothing has changed yet: onbook agent apply ${session}\n${answer.warnings.map(({ message }) => `warning: ${message}\n`).join('')}`
    case 'unchanged':
      return `Unchanged: ${answer.workspace} is at version ${answer.version}, which ${session} knows.\n`
    case 'failed':
      return `Failed at ${answer.stage} (${answer.code}): ${answer.detail}\nThe active version stays active.\n`
  }
}

export function applyText(answer: ApplyAnswer): string {
  switch (answer.outcome) {
    case 'applied':
      return `Applied: ${snapshotText(answer.snapshot)} is active.\n`
    case 'approved':
      return `Approved: ${snapshotText(answer.snapshot)} takes over at the next ${answer.at}.\n`
    case 'deferred':
      return `Deferred: a run is open; ${snapshotText(answer.snapshot)} takes over at the next run.\n`
    case 'refused':
      return `Refused: ${answer.message}.\n`
  }
}
