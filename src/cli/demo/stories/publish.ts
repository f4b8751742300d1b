// Story: a new house style is published, and nothing changes. Agents use the applied version until another one is applied.
import { publishNewRule, toldStyles } from '../house-style.ts'
import { INPUT, NEWSROOM } from '../seed.ts'
import type { Stage } from '../stage.ts'

export async function publish(stage: Stage): Promise<string> {
  const { type, say, work } = stage
  const version = await publishNewRule(stage)
  const { runId } = await type<{ readonly runId: string }>(['run', NEWSROOM, '--input', `@${INPUT}`, ...work])
  const told = await toldStyles(stage, runId)
  for (const { nodeId, version: used, rule } of new Map(told.map(one => [one.nodeId, one])).values())
    say(`${nodeId.padEnd(6)}  sent version ${used}: “${rule}”`)
  const used = new Set(told.map(one => one.version))
  return used.has(version)
    ? `Version ${version} was active already.`
    : `Version ${version} is published, and all three were sent version ${[...used].join(', ')}. Publishing changes nothing.`
}
