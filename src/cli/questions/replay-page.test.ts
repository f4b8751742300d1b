// Tests the page of a replay that differs from its run.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Digest } from '../../core/digest/digest.ts'
import { replayRun } from '../../engine/replay/replay.ts'
import type { Store } from '../../ports.ts'
import { expectGolden } from '../../testing/golden.ts'
import { withObject, withoutObject } from '../../testing/mutations/changed-store.ts'
import { readStory, recordedStory, type Story } from '../../testing/stories/recorded-story.ts'
import { type RunHouse, TENANT } from '../../testing/stories/run-house.ts'
import { promptLine, replayPage } from './replay-page.ts'

let house: RunHouse
let story: Story
beforeAll(async () => {
  house = await recordedStory()
  story = await readStory(house)
})
afterAll(async () => {
  await house.close()
  await house.store.close()
})

async function pageOf(store: Store): Promise<string> {
  const lines: string[] = []
  const replayed = await replayRun(store, TENANT, 'r1', { onPrompt: prompt => lines.push(`${promptLine(prompt, false)}\n`) })
  return `${lines.join('')}${replayPage(replayed, false)}`.replace(/sha256:[0-9a-f]+…?/g, 'HASH')
}

const templateOf = (kind: string): Digest =>
  (
    story.events.find(({ type, payload }) => type === 'prompt.composed' && (payload as { kind: string }).kind === kind)!.payload as {
      template: Digest
    }
  ).template

it('a template that says something else', async () => {
  expectGolden(
    'questions/replay-template',
    await pageOf(withObject(house.store, templateOf('user'), text => text.replace('The end', 'That is all'))),
  )
})

it('a value that was another', async () => {
  const { inputs } = story.objects
  expectGolden('questions/replay-value', await pageOf(withObject(house.store, inputs!, text => text.replace('the harbour', 'the station'))))
})

it('a template that is gone', async () => {
  expectGolden('questions/replay-gone', await pageOf(withoutObject(house.store, templateOf('system'), null)))
})

it('words that a terminal would act on are shown, and do nothing', async () => {
  const page = await pageOf(withObject(house.store, templateOf('user'), text => text.replace('The end', '\\u001b[2JThe end')))
  expect(page).not.toContain('\u001b')
  expect(page).toContain('\\u001b[2J')
})
