// Folder: Composes recorded steps again with a proposed workspace, with one cause alone, and with all but one. It calls no model and writes nothing.
// Predicts which recorded prompts change under a proposed workspace version, by cause. One run after the other; asks no model, writes nothing.
import { digestText } from '../../core/digest/digest.ts'
import { causeKey } from '../../core/regression/cause.ts'
import { type JudgedStep, type Tally, tallying } from '../../core/regression/tally.ts'
import { nodeOf } from '../../core/run/state.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { loadFrozen } from '../runs/start/frozen.ts'
import { changeOf } from './change-of.ts'
import { type Judged, judgeStep } from './judge-step.ts'
import { makeUnder, type StepProposal } from './make-under.ts'
import type { Proposal } from './proposal.ts'
import { proposedSnapshots } from './proposed-snapshots.ts'
import { proposedWorlds } from './proposed-worlds.ts'
import { eachRecordedStep, type RecordedStep } from './recorded-steps.ts'
import { type Unreached, unreachedBy } from './unreached.ts'

/** A run in the record, or in a file. It is closed when it was compared. */
export interface ComparedRun {
  readonly store: Store
  readonly tenant: string
  readonly runId: string
  close?(): Promise<void>
}

export interface Regression extends Tally {
  readonly against: { readonly workspace: string; readonly version: number; readonly root: string }
  /** Workspaces of the steps' snapshots: preludes and catalogs of any other were not compared. */
  readonly workspaces: readonly string[]
  /** New versions in the proposal that change nothing yet: refs go by a label that stays. */
  readonly unreached: readonly Unreached[]
}

/** The size of the caches: equal worlds are computed once. */
const MOST_WORLDS = 200
const MOST_VERDICTS = 2_000

/** @param pause waited for before every step: there may be many, and others want to be served too */
export async function regressionOf(
  proposal: Proposal,
  runs: AsyncIterable<ComparedRun>,
  pause: () => Promise<void> = async () => {},
): Promise<Regression> {
  const { workspace, version, root } = proposal
  const counted = tallying()
  const worlds = keptMap<ReturnType<typeof proposedWorlds>>(MOST_WORLDS)
  const snapshots = keptMap<ReturnType<typeof proposedSnapshots>>(MOST_WORLDS)
  const verdicts = keptMap<Promise<Judged>>(MOST_VERDICTS)
  const workspaces = new Set<string>()
  const unreached = unreachedBy(proposal)

  async function proposalFor(store: Store, tenant: string, { run, turn, frozen: { spawned } }: RecordedStep): Promise<StepProposal> {
    const frozen = run.state.frozen!
    const { snapshot } = turn
    if (snapshot !== null) workspaces.add(snapshot.workspace)
    const roles = new Set([...spawned.values()].map(({ role: { name, digest } }) => JSON.stringify([name, digest])))
    const world = async () => {
      const loaded = await loadFrozen(store, tenant, frozen)
      unreached.add(loaded.lookup)
      return proposedWorlds(proposal, { ...loaded, spawned })
    }
    const proposed = await snapshots(JSON.stringify(snapshot), () => proposedSnapshots(store, tenant, proposal, snapshot))
    unreached.reach(proposed.reached)
    return { worlds: await worlds(JSON.stringify([frozen, ...roles]), world), snapshots: proposed }
  }

  // Caches are keyed by store.
  const overlaid = new WeakMap<Store, Store>()
  const overlay = (store: Store): Store => {
    const known = overlaid.get(store) ?? withProposal(store, proposal)
    overlaid.set(store, known)
    return known
  }

  for await (const { store, tenant, runId, close } of runs) {
    const over = overlay(store)
    const judged: JudgedStep[] = []
    const shown = new Map<string, number>()
    try {
      const problem = await eachRecordedStep(store, tenant, runId, async step => {
        await pause()
        const { nodeId, step: number } = step.event
        const place = { nodeId, visit: nodeOf(step.run.state, nodeId).visits, step: number }
        const { outcome, causes } = await verdicts(likeness(step), async () =>
          judgeStep(over, tenant, step, await proposalFor(store, tenant, step)),
        )
        const seen: JudgedStep['verdict']['causes'][number][] = []
        for (const { cause, placed, ...rest } of causes) {
          const key = causeKey(cause)
          const coming = shown.get(key) ?? 0
          const isWanted = counted.wants(cause, coming)
          if (isWanted) shown.set(key, coming + 1)
          // Runs that are alike are judged once; an example is of the very run that it names.
          const made = isWanted ? await makeUnder(over, tenant, step, await proposalFor(store, tenant, step), placed) : null
          seen.push({ cause, ...rest, change: made === null ? null : await changeOf(over, tenant, step.event, made) })
        }
        judged.push({ ...place, verdict: { outcome, causes: seen } })
      })
      if (problem === null) counted.addRun(runId, judged)
      else counted.addUnsound({ runId, problem })
    } finally {
      await close?.()
    }
  }
  return { against: { workspace, version, root }, ...counted.tally(), workspaces: [...workspaces].sort(), unreached: unreached.all() }
}

/** All that a step is made from, without what only tells runs apart. */
function likeness({ run: { state, createdBy }, event: { nodeId, request, prompt }, turn }: RecordedStep): string {
  const { frozen, inputs, configurable, mode, orchestration, override, overrides, grown, nodes } = state
  const { handoffs } = nodeOf(state, nodeId)
  const outputs = Object.entries(nodes).map(([id, { output }]) => [id, output])
  const { config, snapshot } = turn
  const { prelude, tools, calls } = request
  const given = [frozen, inputs, configurable, mode, orchestration, override, overrides, grown, createdBy]
  const templates = prompt.templates.map(({ template }) => template)
  return digestText(JSON.stringify([given, nodeId, handoffs, outputs, templates, [prelude, tools, calls], [config, snapshot]]))
}

/** The record, with the objects that only the proposal has. */
export const withProposal = (store: Store, proposal: Proposal): Store => ({
  ...store,
  async object(tenant, digest) {
    try {
      return await store.object(tenant, digest)
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'object_missing')) throw error
      return proposal.object(digest)
    }
  },
})

/** Makes each once. The oldest are forgotten. */
function keptMap<T>(most: number): (key: string, make: () => T) => T {
  const cache = new Map<string, T>()
  return (key, make) => {
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const made = make()
    cache.set(key, made)
    for (const oldest of cache.keys()) {
      if (cache.size <= most) break
      cache.delete(oldest)
    }
    return made
  }
}
