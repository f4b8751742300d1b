// Story: a published version is synced and applied during a run. The next step receives the new version, and the record has both.
import { publishNewRule, toldStyles } from '../house-style.ts'
import { NEWSROOM } from '../seed.ts'
import type { Stage } from '../stage.ts'

export async function apply(stage: Stage): Promise<string> {
  const { type, say, work, look, read } = stage
  const { runId } = await type<{ readonly runId: string }>(['run', 'newsroom/workflows/desk.yaml', ...work], [1])
  say('the writer has answered, and waits for a person')
  let synced = await type<{ readonly outcome: string }>(['agent', 'sync', NEWSROOM])
  if (synced.outcome === 'unchanged') {
    say('nothing new has been published, so something is:')
    await publishNewRule(stage)
    synced = await type<{ readonly outcome: string }>(['agent', 'sync', NEWSROOM])
  }
  say(`${synced.outcome}: nothing has changed yet`)
  const applied = await type<{ readonly outcome: string }>(['agent', 'apply', NEWSROOM, '--when', 'next_step_boundary'])
  say(`${applied.outcome}`)
  const { reading } = await read(runId)
  await type(['run', 'say', runId, 'desk', 'And in our house style?', ...work], [0, 1])
  await look(runs => runs.settled(runId, reading.last.sequence))
  const told = await toldStyles(stage, runId)
  for (const { step, version, rule } of told) say(`step ${step}  sent version ${version}: “${rule}”`)
  await type(['run', 'cancel', runId, '--reason', 'the demo is over'])
  say('the conversation is ended')
  const [first, last] = [told[0]?.version, told.at(-1)?.version]
  return `One run, two steps: version ${first}, then version ${last}, because it was applied in between.`
}
