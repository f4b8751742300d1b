// Explains which prompt a node would get from edited files: uses the resolver of runs, over the versions that publishing would add. Writes nothing.
import type { Agent } from '../../core/agent/agent.ts'
import { readAgent } from '../../core/agent/read-agent.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { KindRefs } from '../../core/resolve/layers.ts'
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import { KINDS, resolveKind } from '../../core/resolve/resolve.ts'
import { snapshotLookup } from '../../core/resolve/snapshot-lookup.ts'
import { chainOf, writtenFor } from '../../core/why/chain.ts'
import { readWorkflow } from '../../core/workflow/read-workflow.ts'
import type { Workflow } from '../../core/workflow/workflow.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { loadAgent } from '../definitions/agents.ts'
import type { PreparedDefinition } from '../definitions/publish.ts'
import { editedLookup } from '../library/edited-lookup.ts'
import type { CompiledPacks } from '../library/publish.ts'
import { refsOf } from '../library/refs-of.ts'
import { DIALECT, resolveRequest } from '../runs/start/frozen.ts'
import { homePacks } from '../sessions/session-packs.ts'
import { labelReader } from './label-moves.ts'
import { withPublications } from './publications.ts'
import type { WhyChoice, WhyQuestion } from './why.ts'

export interface Edited {
  readonly compiled: CompiledPacks
  /** A workflow, and the agents beside it. */
  readonly definitions: readonly PreparedDefinition[]
}

/** The host's settings, and the place where the edited files would be published. */
export interface EditPlace {
  readonly store: Store
  readonly tenant: string
  readonly libraryId: string
  readonly hostDefaults: KindRefs
  readonly agentBindings: boolean
  readonly opaqueRefs?: true
}

export async function whyEdited(
  place: EditPlace,
  edited: Edited,
  at: string,
  question: Omit<WhyQuestion, 'visit'> = {},
): Promise<readonly WhyChoice[]> {
  const { store, tenant } = place
  const workflow = workflowIn(edited)
  const agents = await agentsFor(place, edited, workflow)
  const nodes = workflow.nodes.filter(({ id }) => question.nodeId === undefined || id === question.nodeId)
  if (nodes.length === 0) {
    const known = workflow.nodes.map(({ id }) => id).join(', ')
    throw new Fault('node_missing', { problem: `Workflow ${workflow.id} has no node ${question.nodeId}. It has: ${known}` })
  }
  const movesOf = labelReader(store, tenant)

  const answers: WhyChoice[] = []
  for (const node of nodes) {
    const request = resolveRequest({ ...place, workflow, agents }, node, {})
    const published = await editedLookup(place, edited.compiled, refsOf(request, DIALECT))
    // Publishing changes nothing for an agent whose snapshot carries the pack.
    const home = node.session ?? agents.get(node.agentId ?? '')?.session ?? null
    const lookup = snapshotLookup(published, await homePacks(store, tenant, home))
    for (const kind of question.kind === undefined ? KINDS : [question.kind]) {
      const written = writtenFor(request, kind, DIALECT)
      for (const { slot, agentId, resolved, trace } of resolveKind(request, kind, lookup, DIALECT)) {
        const chain = await Promise.all(chainOf(trace, written[slot]!).map(entry => movesOf(entry, at)))
        const ref = resolved === null ? null : pinnedText(resolved.templateId, resolved.version)
        answers.push({ nodeId: node.id, kind, slot, agentId, resolved: ref, chain })
      }
    }
  }
  return withPublications(store, tenant, { workflow, agents }, at, answers)
}

const documentOf = ({ bytes }: PreparedDefinition): Json => JSON.parse(new TextDecoder().decode(bytes)) as Json

/** The workflow was parsed and validated when it was prepared. */
function workflowIn({ definitions }: Edited): Workflow {
  const read = readWorkflow(documentOf(definitions.find(({ kind }) => kind === 'workflow')!))
  if (!read.ok) throw new Error('a prepared workflow is valid')
  return read.workflow
}

/** The agents of the folder; published ones for the rest. */
async function agentsFor({ store, tenant }: EditPlace, { definitions }: Edited, { nodes }: Workflow): Promise<ReadonlyMap<string, Agent>> {
  const found = new Map<string, Agent>()
  for (const definition of definitions) {
    const read = definition.kind === 'agent' ? readAgent(documentOf(definition), () => null) : null
    if (read?.ok) found.set(read.agent.agentId, read.agent)
  }
  for (const { agentId } of nodes) {
    const published = agentId === null || found.has(agentId) ? null : await loadAgent(store, tenant, agentId)
    if (published !== null) found.set(published.agent.agentId, published.agent)
  }
  return found
}
