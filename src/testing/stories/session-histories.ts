// Two sessions with a little of everything, to be recorded once a release: see CONTRIBUTING.md.
import { digestText } from '../../core/digest/digest.ts'
import { emptyHead, writeEvents } from '../../core/record/event.ts'
import { sessionDraft, sessionStream } from '../../core/session/events.ts'
import { endRun, nextStep, replyWithCall, startRun } from './session-run.ts'
import { config, type Files, must, named, PLACE, type Story, selection, startStory, syncStory, tell } from './session-story.ts'

const files = (word: string): Files => ({
  'agent.workspace.json': '{"schema_version":1}',
  'prompts/packs/default.json': JSON.stringify([{ role: 'system', content: word }]),
  'tools/catalogs/default.json': JSON.stringify({ tools: [{ name: word }] }),
})

/** Version 2 at a step, 3 for the next run, a failed sync, and 5 without a request to apply it; a second run is refused meanwhile. */
function applyDuringRun(): Story {
  const wanted = selection({ prelude: 'default', catalog: 'default' })
  const workspace = { name: 'writer', versions: [files('one')] }
  const story = startStory()
  syncStory(story, workspace, wanted)
  must(story, { type: 'requestApply' })
  const run = startRun(story)
  replyWithCall(run)
  for (const [word, when] of [
    ['two', 'next_step_boundary'],
    ['three', 'next_run'],
  ] as const) {
    workspace.versions.push(files(word))
    syncStory(story, workspace, wanted)
    must(story, { type: 'requestApply', when })
    if (when === 'next_step_boundary') nextStep(run)
  }
  workspace.versions.push({ ...files('four'), 'prompts/packs/default.json': 'not json' })
  syncStory(story, workspace, wanted)
  workspace.versions.push(files('five'))
  syncStory(story, workspace, wanted)
  tell(story, { type: 'attachRun', ...PLACE, runId: 'run-2' })
  return story
}

/** Two runs with direct digests, messages that are left and handed over, a refused run, another config, and an apply without a sync. */
function directDigests(): Story {
  const story = startStory({ promptDigests: [digestText('prompt')], limits: { maxSteps: 10, maxCalls: 4 } })
  const leave = (kind: 'steer' | 'follow-up', id: string) =>
    must(story, { type: 'leaveMessage', message: { kind, id, message: named(id) } })
  leave('steer', 's1')
  leave('steer', 's2')
  const first = startRun(story)
  replyWithCall(first)
  nextStep(first)
  endRun(first)
  must(story, { type: 'configure', config: config({ model: 'large', promptDigests: [digestText('prompt')] }) })
  must(story, { type: 'refuseRun', stage: 'resolve', code: 'workspace_missing', detail: 'there is no workspace desk' })
  const second = startRun(story)
  must(story, {
    type: 'detachRun',
    ...PLACE,
    left: [...second.turn.turn.left, { kind: 'follow-up', id: 'f1', message: named('And then?') }],
  })
  tell(story, { type: 'requestApply', when: 'immediate_if_idle' })
  return story
}

export const SESSION_HISTORIES: Readonly<Record<string, () => Story>> = {
  'apply-during-run': applyDuringRun,
  'direct-digests': directDigests,
}

/** The stream of a session, one event a line. */
export function recordedLines({ state, events }: Story): string {
  const drafts = events.map(event => sessionDraft(event, 'test'))
  const written = writeEvents(emptyHead('default', sessionStream(state.session)), drafts, '2026-01-01T00:00:00.000Z')
  if (typeof written === 'string') throw new Error(written)
  return written.map(({ text }) => `${text}\n`).join('')
}
