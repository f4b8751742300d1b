// Changes a recorded run, one thing at a time, as if it had been so from the start, and lists the changes that a diff does not name as what they are.
import type { What } from '../../core/diff/difference.ts'
import { runStream } from '../../core/run/events.ts'
import { diffRuns } from '../../engine/diff/diff-runs.ts'
import type { Story } from '../stories/recorded-story.ts'
import { TENANT } from '../stories/run-house.ts'
import { picking } from './find-mutations.ts'
import { honestStore } from './honest-store.ts'
import { MUTATIONS } from './replay-mutations.ts'

/** Those that change a decision, and what it is called. */
const NAMED: Readonly<Record<string, What>> = {
  templateText: 'template',
  variableValue: 'input',
  layerOrder: 'workflow',
  hostDefault: 'host-default',
  mode: 'mode',
  role: 'role',
  catalogEntry: 'tools',
  verdict: 'verdict',
  modelReply: 'reply',
  toolResult: 'result',
}

/** Every kind in turn, from either side. The same for the same seed. */
export async function missedByDiff(story: Story, count: number, seed: number): Promise<readonly object[]> {
  const pick = picking(seed)
  const makes = MUTATIONS.filter(({ name }) => Object.hasOwn(NAMED, name))
  const missed: object[] = []
  for (let at = 0; at < count; at += 1) {
    const make = makes[at % makes.length]!
    const mutation = make(story, pick)
    const [a, b] = [story.store, await honestStore(mutation.store, TENANT, [runStream('r1')])].map(store => ({
      store,
      tenant: TENANT,
      runId: 'r1',
    }))
    const [there, back] = [await diffRuns(a!, b!), await diffRuns(b!, a!)]
    const whats = [...new Set(there.decisions.map(({ what }) => what))]
    const isMirrored = spelled(there.decisions) === spelled(back.decisions.map(found => ({ ...found, a: found.b, b: found.a })))
    if (whats.length !== 1 || whats[0] !== NAMED[make.name] || !isMirrored) missed.push({ name: mutation.name, whats, isMirrored })
  }
  return missed
}

const spelled = (decisions: readonly object[]): string =>
  decisions
    .map(one => JSON.stringify(one))
    .sort()
    .join('\n')
