// Collects the decisions for one step of a run, and its results. Reads the objects that its events name.
import type { StepFacts } from '../../core/diff/compare-runs.ts'
import { erasedFact, type Fact } from '../../core/diff/facts.ts'
import { type Digest, digestJson, digestText, type Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import { bySequence, type RunCall, type RunEventOf, type RunStep } from '../../core/run/reading/reading.ts'
import type { Snapshot } from '../../core/session/snapshot.ts'
import type { PromptTemplate } from '../../core/turn/events.ts'
import type { Store } from '../../ports.ts'
import { type PolicyRevision, policyAt } from '../policy/policy-revisions.ts'
import { rememberedContent } from '../reading/remembered.ts'
import { textAt } from '../replay/texts-of.ts'
import { askedOf } from '../turns/asked.ts'
import { toolsIn } from '../turns/model-call.ts'
import { readStored } from '../turns/node-values.ts'
import { unlessErased } from './unless-erased.ts'

type Composed = RunEventOf<'prompt.composed'>

interface Desk {
  readonly store: Store
  readonly tenant: string
  readonly policies: readonly PolicyRevision[]
  /** Collects printable texts that are not stored objects. */
  readonly made: Map<Digest, string>
  /** How many events of the run a fork copied from its source: the record does not say when their steps were sent. */
  readonly copied: number
}

type Gather = (step: RunStep, promptEvents: readonly Composed[], role: readonly Fact[]) => Promise<StepFacts>

/** @returns a function of the step, `promptEvents` (the prompt events of the visit) and `role` (the node's role) */
export const stepFacts =
  ({ store, tenant, policies, made, copied }: Desk): Gather =>
  async (sent, promptEvents, role) => {
    const { request, prompt, snapshot, step, sequence, at } = sent
    const { provider, model, ...parameters } = request.parameters
    const override = prompt.blocks.override === undefined ? null : await textAt(store, tenant, prompt.blocks.override)
    const held: readonly Fact[] = [
      ...snapshotFacts(snapshot),
      ...role,
      { what: 'mode', value: prompt.mode },
      ...policyFacts(sequence < copied ? null : policyAt(policies, at)),
      { what: 'model', value: `${provider} ${model}` },
      ...Object.entries(parameters).map(([name, value]): Fact => ({ what: 'parameter', name, value: value as Json })),
      ...(await toolFacts(store, tenant, request.tools)),
      ...(await templateFacts(store, tenant, prompt.templates, promptEvents)),
      ...(override === null ? [] : [{ what: 'override', value: override } as const]),
    ]
    const { met, reply } = await whatCame(store, tenant, sent, made)
    return {
      step,
      held,
      met,
      own: [
        { what: 'history', value: request.history.count },
        { what: 'sent', value: prompt.sent.kind },
      ],
      texts: { ...prompt.blocks, ...(reply === null ? {} : { reply }) },
    }
  }

/** The policy on record at that time: a process may still have used the one before. */
const policyFacts = (policy: PolicyRevision | null): readonly Fact[] =>
  policy === null ? [] : [{ what: 'policy', value: `revision ${policy.revision} on record`, hash: digestJson(policy.config), alike: true }]

function snapshotFacts(snapshot: Snapshot | null): readonly Fact[] {
  if (snapshot === null) return []
  const { workspace, version, root, prelude, catalog } = snapshot
  return [
    { what: 'workspace', value: `${workspace} version ${version}`, hash: root },
    ...(prelude === null ? [] : [{ what: 'prelude', value: prelude.name, hash: digestJson(prelude as unknown as Json) } as const]),
    ...(catalog === null ? [] : [{ what: 'catalog', value: catalog.name, hash: digestJson(catalog as unknown as Json) } as const]),
  ]
}

/** The names of the shown tools, and the content of each. */
function toolFacts(store: Store, tenant: string, shown: readonly Digest[] | null): Promise<readonly Fact[]> {
  const from = digestJson(shown)
  return rememberedContent(store, JSON.stringify(['shown tools', tenant, shown]), async () => {
    if (shown === null) return []
    const found = await unlessErased(toolsIn(digest => store.object(tenant, digest), shown))
    if (found === null) return [erasedFact({ what: 'tools' }, from)]
    const { tools } = found
    return [
      { what: 'tools', value: tools.map(({ name }) => name).toSorted(), from } as const,
      ...tools.map((tool): Fact => ({ what: 'tool', name: tool.name, value: tool as unknown as Json, alike: true })),
    ]
  })
}

/** By kind, and within a kind in their order. The role is not a template of the library. */
async function templateFacts(
  store: Store,
  tenant: string,
  templates: readonly PromptTemplate[],
  promptEvents: readonly Composed[],
): Promise<readonly Fact[]> {
  const facts: Fact[] = []
  const counts = new Map<string, number>()
  for (const { kind, part, layer, ref, template, templateHash } of templates) {
    if (kind === null || part !== kind) continue
    const place = counts.get(kind) ?? 0
    counts.set(kind, place + 1)
    const which = { kind, ...(place === 0 ? {} : { name: `entry ${place + 1}` }) }
    const chosen = { ...which, ...(layer === null ? {} : { layer }) }
    facts.push({ what: 'layer', ...which, value: layer }, { what: 'template', ...chosen, value: ref, hash: template })
    const composed = promptEvents.findLast(one => one.kind === kind && one.ref === ref && one.body === templateHash)
    if (composed === undefined) continue
    const of = ref.replace(/@.*$/, '')
    const from = composed.values
    const stored = await unlessErased(readStored<{ readonly values: JsonObject }>(store, tenant, from))
    if (stored === null) {
      if (Object.keys(composed.variableHashes).length > 0) facts.push(erasedFact({ what: 'variable', kind, template: of }, from))
      continue
    }
    for (const [variable, hash] of Object.entries(composed.variableHashes)) {
      const value = stored.values[variable] ?? null
      // A variable without a value counts as absent.
      if (value !== null) facts.push({ what: 'variable', ...chosen, template: of, variable, value, hash, from })
    }
  }
  return facts
}

/** The model's reply, and the results of calls that both sides made alike. */
async function whatCame(
  store: Store,
  tenant: string,
  { request, outcome, calls }: RunStep,
  made: Map<Digest, string>,
): Promise<{ readonly met: readonly Fact[]; readonly reply: Digest | null }> {
  if (outcome === null) return { met: [], reply: null }
  const { reply, failure } = outcome
  if (failure !== null) return { met: [{ what: 'outcome', value: `failed (${failure.code}): ${failure.detail}` }], reply: null }
  if (reply === null) return { met: [], reply: null }
  const read = (digest: Digest): Promise<Uint8Array> => store.object(tenant, digest)
  const asked = await unlessErased(read(reply).then(said => askedOf(read, request, said)))
  if (asked === null) return { met: [erasedFact({ what: 'reply' }, reply)], reply }
  const lines = asked.calls.map(call => `${call.toolName} ${JSON.stringify(call.arguments)}`)
  const text = [asked.text, ...lines].filter(line => line !== '').join('\n')
  // Without the ids of its calls, which are others every time.
  const met: Fact[] = [{ what: 'reply', value: text, from: reply }]
  const digest = digestText(text)
  made.set(digest, text)
  const facts: SequencedFact[] = []
  for (const call of calls) {
    const asking = asked.calls[Number(call.id) - 1]
    if (asking !== undefined)
      facts.push(...(await callFacts(store, tenant, call, { call: call.id, name: asking.toolName, alike: asking.arguments })))
  }
  met.push(...facts.toSorted(bySequence).map(({ fact }) => fact))
  return { met, reply: digest }
}

interface SequencedFact {
  readonly sequence: number
  readonly fact: Fact
}

async function callFacts(
  store: Store,
  tenant: string,
  { verdicts, answers, outcome }: RunCall,
  alike: Pick<Fact, 'call' | 'name' | 'alike'>,
): Promise<readonly SequencedFact[]> {
  const facts: SequencedFact[] = [
    ...verdicts.map(({ sequence, verdict: { decision, conditions } }) => {
      const judged = conditions.map(
        ({ condition, outcome, reason }) => [condition, reason === '' ? outcome : `${outcome}: ${reason}`] as const,
      )
      return { sequence, fact: { what: 'verdict', ...alike, value: { decision, ...Object.fromEntries(judged) } } as const }
    }),
    ...answers.map(({ sequence, decision }) => ({ sequence, fact: { what: 'approval', ...alike, value: decision } as const })),
  ]
  if (outcome === null) return facts
  const { sequence, result, status } = outcome
  const text = result === null ? null : await textAt(store, tenant, result)
  return [...facts, { sequence, fact: { what: 'result', ...alike, value: text ?? status, hash: digestJson([status, result]) } }]
}
