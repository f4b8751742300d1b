// The house style of the demo's newsroom: publishes a new rule on each call, and finds which version of the style a step received.
import { writeFile } from 'node:fs/promises'
import { readText } from '../../book/record-folder.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { type Bodies, bodiesOf } from '../runs/bodies.ts'
import { NEWSROOM } from './seed.ts'
import type { Stage } from './stage.ts'

const FILE = 'newsroom/context/house-style.md'
const RULES = ['Name the day: Monday, not tomorrow.', 'Times as on the timetable: 23:40.', 'Say who said it.']

/** Never publishes the present rule again. */
export async function publishNewRule({ type, say, color }: Stage): Promise<number> {
  const text = await readText(FILE)
  const kept = text.split('\n').filter(line => line !== '' && !RULES.some(rule => line === `- ${rule}`))
  const rule = RULES[(RULES.findIndex(one => text.includes(one)) + 1) % RULES.length]!
  await writeFile(FILE, `${[...kept, `- ${rule}`].join('\n')}\n`)
  say(`${FILE} gets a new rule:`, color.green(`+ - ${rule}`))
  const words = ['publish', NEWSROOM, '--workspace', NEWSROOM, '--message', 'a new rule of style']
  const { version } = (await type<{ readonly workspace: { readonly version: number } }>(words)).workspace
  say(`version ${version} of the workspace is published`)
  return version
}

/** One step, with the version of the house style in its prompt. */
export interface ToldStyle {
  readonly nodeId: string
  readonly step: number
  readonly version: number
  readonly rule: string
}

export async function toldStyles({ look, steps }: Stage, runId: string): Promise<readonly ToldStyle[]> {
  const started = await steps(runId)
  return look(async runs => {
    const { said } = bodiesOf(runs)
    const told: ToldStyle[] = []
    for (const { nodeId, step, snapshot, request } of started)
      if (snapshot !== null) told.push({ nodeId, step, version: snapshot.version, rule: await lastRule(said, request.prelude) })
    return told
  })
}

async function lastRule(said: Bodies['said'], prelude: readonly Digest[]): Promise<string> {
  const text = prelude.length === 0 ? null : await said(prelude.at(-1)!)
  const rules = text?.split('\n').filter(line => line.startsWith('- ')) ?? []
  return rules.at(-1)?.slice(2) ?? 'nothing'
}
