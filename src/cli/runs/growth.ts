// The nodes and edges that agents added to a run, and the messages between agents, for `onbook show`.
import { factsOf, type RunReading } from '../../core/run/reading/reading.ts'
import { clip } from '../report/visible.ts'
import type { Bodies } from './bodies.ts'

export interface Growth {
  readonly nodes: readonly {
    readonly nodeId: string
    readonly by: string
    readonly role: string
    readonly label: string
    readonly alias: string | null
  }[]
  readonly edges: readonly { readonly by: string; readonly from: string; readonly to: string; readonly bidirectional: boolean }[]
  readonly handoffs: readonly {
    readonly handoff: string
    readonly from: string
    readonly to: string
    /** Null when it was erased. */
    readonly message: string | null
    /** The handoff that this one replies to. */
    readonly answers: string | null
    readonly expectation: string
  }[]
}

export async function growthIn(reading: RunReading, bodies: Bodies): Promise<Growth> {
  const handoffs: Growth['handoffs'][number][] = []
  for (const { event } of factsOf(reading, 'handoff.sent')) {
    const { handoff, nodeId: from, to, body, answers, expectation } = event
    const sent = await bodies.json<{ readonly handoff: { readonly message: string } }>(body)
    handoffs.push({ handoff, from, to, message: sent?.handoff.message ?? null, answers, expectation })
  }
  return {
    nodes: factsOf(reading, 'node.spawned').map(({ event: { nodeId, by, role, label, alias } }) => ({
      nodeId,
      by,
      role: role.name,
      label,
      alias,
    })),
    edges: factsOf(reading, 'edge.created').map(({ event: { nodeId: by, from, to, bidirectional } }) => ({ by, from, to, bidirectional })),
    handoffs,
  }
}

const MOST_OF_A_MESSAGE = 200

export const growthLines = ({ nodes, edges, handoffs }: Growth): readonly string[] => [
  ...nodes.map(({ nodeId, by, role, label }) => `${by} added ${nodeId}, as ${role}: ${JSON.stringify(label)}`),
  ...edges.map(({ by, from, to, bidirectional }) => `${by} made an edge ${from} ${bidirectional ? '↔' : '→'} ${to}`),
  ...handoffs.map(({ handoff, from, to, message, answers }) => {
    const said = message === null ? '(erased)' : JSON.stringify(clip(message, MOST_OF_A_MESSAGE))
    return `${from} sent ${handoff} to ${to}${answers === null ? '' : `, the reply to ${answers}`}: ${said}`
  }),
]
