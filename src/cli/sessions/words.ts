// What happened in a session, in words a person follows. Events that say nothing to a person have none.
import type { ApplyAnswer, SyncAnswer, WirePackChange, WireSnapshot } from '../../wire/onbook/sessions.ts'
import { answerText } from '../report/answer-text.ts'
import type { ShownEvent } from './desk.ts'

// biome-ignore lint/suspicious/noExplicitAny: events are shown as far as they are known, and newer ones may say more
type Payload = any

export const snapshotText = ({ workspace, version, prelude, catalog, legacy, packs }: WireSnapshot): string => {
  const parts = [
    ...(prelude === null ? [] : [`prelude ${prelude.name}`]),
    ...(catalog === null ? [] : [legacy ? 'tools found in tools/' : `catalog ${catalog.name}`]),
    ...(packs === undefined ? [] : ['packs']),
  ]
  return `${workspace}, version ${version}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`
}

const beforeHistory = ({ source, snapshot }: Payload): string => {
  if (source === 'direct') return 'with messages by digest'
  return source === 'workspace' ? `with ${snapshotText(snapshot)}` : 'with nothing before the history'
}

const WORDS: Readonly<Record<string, (payload: Payload) => string>> = {
  'session.created': ({ session }) => `session ${session} is made`,
  'session.configured': () => 'the session is set anew',
  'session.refused': ({ command, message }) => `${command} is refused: ${message}`,
  'run.requested': ({ run, selection }) =>
    `run ${run} is asked for${selection === null ? '' : `, with ${selection.workspace.name}${selection.workspace.version === null ? '' : `, version ${selection.workspace.version}`} of its own`}`,
  'run.snapshotReady': ({ run, snapshot }) => `run ${run} has a snapshot of its own: ${snapshotText(snapshot)}`,
  'run.refused': ({ run, stage, code, detail }) => `run ${run} is refused (${stage}, ${code}): ${detail}`,
  'run.started': payload => `run ${payload.run} starts, ${beforeHistory(payload)}`,
  'run.waiting': ({ run }) => `run ${run} waits for more`,
  'run.paused': ({ run }) => `run ${run} is paused`,
  'run.resumed': ({ run }) => `run ${run} goes on`,
  'run.completed': ({ run }) => `run ${run} is completed`,
  'run.cancelling': ({ run, reason }) => `run ${run} is being cancelled${reason === null ? '' : `: ${reason}`}`,
  'run.cancelled': ({ run }) => `run ${run} is cancelled`,
  'run.failed': ({ run, code, detail }) => `run ${run} failed (${code}): ${detail}`,
  'step.started': payload =>
    `step ${payload.step} asks ${payload.request.parameters.provider} ${payload.request.parameters.model}, ${beforeHistory(payload)}`,
  'step.retried': ({ step, attempt, code }) => `step ${step} is tried again (${code}), attempt ${attempt}`,
  'step.settled': ({ step, failure }) => (failure === null ? `step ${step} is answered` : `step ${step} has no answer (${failure.code})`),
  'command.received': ({ command }) => `${command.kind} is received`,
  'tool.batchStarted': ({ calls }) => `the model asks for ${calls.map(({ name }: { name: string }) => name).join(', ')}`,
  'call.judged': ({ call, verdict }) => {
    const failed = verdict.conditions.find(({ outcome }: { outcome: string }) => outcome === 'failed')
    return `call ${call} is ${verdict.decision}${failed === undefined ? '' : `: ${failed.reason}`}`
  },
  'approval.requested': ({ call, tool, approval }) => `call ${call} (${tool}) waits for a person: onbook approvals approve ${approval}`,
  'approval.resolved': ({ call, ...answer }) => `call ${call}: ${answerText(answer)}`,
  'tool.callSettled': ({ call, status }) => `call ${call} ${status === 'succeeded' || status === 'failed' ? status : `is ${status}`}`,
  'workspace.syncRequested': ({ selection }) => `a sync of ${selection.workspace.name} is asked for`,
  'workspace.syncUnchanged': ({ workspace, version }) => `nothing new: ${workspace} is at version ${version}`,
  'workspace.snapshotReady': ({ snapshot }) => `ready, and waiting to be applied: ${snapshotText(snapshot)}`,
  'workspace.syncFailed': ({ stage, code, detail }) => `the sync failed (${stage}, ${code}): ${detail}`,
  'workspace.approved': ({ snapshot, at }) => `approved for the next ${at}: ${snapshotText(snapshot)}`,
  'workspace.deferred': ({ snapshot }) => `deferred to the next run: ${snapshotText(snapshot)}`,
  'workspace.applied': ({ snapshot, at }) => `in force from ${at === 'now' ? 'now' : `this ${at}`} on: ${snapshotText(snapshot)}`,
  'workspace.superseded': ({ snapshot }) => `no longer approved: ${snapshotText(snapshot)}`,
  'workspace.refused': ({ message }) => `apply is refused: ${message}`,
}

export const sentenceOf = ({ type, payload }: ShownEvent): string | null => WORDS[type]?.(payload) ?? null

/** One pack that would change, with what proves it. */
function packLine({ pack, from, to, warnings, tests, proof }: WirePackChange): string {
  if (to === null) return `${pack}: ${from} → no longer in the workspace; the library decides\n`
  const tested = tests === null ? 'untested' : `tests: ${tests.pass} pass, ${tests.fail + tests.error} fail`
  const how = proof === 'passed' ? '' : '; apply needs --untested'
  return `${pack}: ${from ?? 'none'} → ${to}${from === to ? ' with other text' : ''} (check: ${warnings} warnings; ${tested}${how})\n`
}

export function syncText(session: string, answer: SyncAnswer): string {
  switch (answer.outcome) {
    case 'ready':
      return `${answer.packs.map(packLine).join('')}Ready: ${snapshotText(answer.snapshot)}. Nothing has changed yet: onbook apply ${session}\n${answer.warnings.map(({ message }) => `warning: ${message}\n`).join('')}`
    case 'unchanged':
      return `Unchanged: ${answer.workspace} is at version ${answer.version}, which ${session} knows.\n`
    case 'failed':
      return `Failed at ${answer.stage} (${answer.code}): ${answer.detail}\nWhat was in force stays in force.\n`
  }
}

export function applyText(answer: ApplyAnswer): string {
  switch (answer.outcome) {
    case 'applied':
      return `Applied: ${snapshotText(answer.snapshot)} is in force.\n`
    case 'approved':
      return `Approved: ${snapshotText(answer.snapshot)} takes over at the next ${answer.at}.\n`
    case 'deferred':
      return `Deferred: a run is under way; ${snapshotText(answer.snapshot)} takes over at the next run.\n`
    case 'refused':
      return `Refused: ${answer.message}.\n`
  }
}
