// Computes how much Onbook adds to the prompts of a folder's workflows, by composing them. Judges nothing.
import type { Agent } from '../agent/agent.ts'
import { readAgent } from '../agent/read-agent.ts'
import { composePrompt } from '../compose/blocks.ts'
import { type ComposeStyle, defaultStyle, styleOf } from '../compose/compose-style.ts'
import { type OwnShare, ownShare } from '../compose/own-share.ts'
import { usualSettings } from '../gate/usual-settings.ts'
import { folderOf } from '../pack/identity.ts'
import { readYaml } from '../pack/yaml.ts'
import { readWorkflow } from '../workflow/read-workflow.ts'
import type { Workflow, WorkflowNode } from '../workflow/workflow.ts'
import { isAgentFile, isWorkflowFile } from './layout.ts'

export interface WorkflowShare {
  readonly file: string
  readonly workflow: string
  /** The style of its nodes; `mixed` where they differ. */
  readonly compose: ComposeStyle | 'mixed'
  /** The most that Onbook adds to the first prompt of any node, before tools are described. */
  readonly own: Pick<OwnShare, 'bytes' | 'estimatedTokens'>
}

/** @param texts of the files, by path; broken ones are left out */
export function workflowShares(texts: ReadonlyMap<string, string>): readonly WorkflowShare[] {
  const agents = agentsIn(texts)
  return [...texts].flatMap(([file, text]) => {
    const value = isWorkflowFile(file) ? readYaml(text).value : undefined
    const read = value === undefined ? null : readWorkflow(value)
    return read?.ok === true ? [{ file, ...shareOf(read.workflow, agents) }] : []
  })
}

function agentsIn(texts: ReadonlyMap<string, string>): ReadonlyMap<string, Agent> {
  const agents = new Map<string, Agent>()
  for (const [file, text] of texts) {
    const value = isAgentFile(file) ? readYaml(text).value : undefined
    const read = value === undefined ? null : readAgent(value, path => texts.get(`${folderOf(file)}${path}`) ?? null)
    if (read?.ok === true) agents.set(read.agent.agentId, read.agent)
  }
  return agents
}

function shareOf(workflow: Workflow, agents: ReadonlyMap<string, Agent>): Omit<WorkflowShare, 'file'> {
  const agentOf = ({ agentId }: WorkflowNode): Agent | null => agents.get(agentId ?? '') ?? null
  const usual = defaultStyle(workflow, { agent: agentOf(workflow.nodes[0]!), mode: workflow.mode, hasRepository: false })
  const styles = workflow.nodes.map(node => styleOf(usual, workflow, agentOf(node)))
  const shares = workflow.nodes.map((node, index) => nodeShare(workflow, node, agentOf(node), styles[index]!))
  const { bytes, estimatedTokens } = shares.reduce((most, share) => (share.bytes > most.bytes ? share : most))
  return {
    workflow: workflow.id,
    compose: styles.every(style => style === styles[0]) ? styles[0]! : 'mixed',
    own: { bytes, estimatedTokens },
  }
}

const EMPTY: OwnShare = { bytes: 0, estimatedTokens: 0, ofBytes: 0 }

function nodeShare(workflow: Workflow, node: WorkflowNode, agent: Agent | null, style: ComposeStyle): OwnShare {
  const { nodes, edges, mode, orchestration } = workflow
  const role = node.role ?? agent?.role ?? null
  const composed = composePrompt({
    style,
    tools: { lineTools: [], nativeTools: true, hasRepoTools: false },
    role: null,
    mode,
    task: {
      // As long as the ids that runs have.
      runId: 'run_00000000000000000000000000',
      nodeId: node.id,
      orchestration: node.orchestration ?? orchestration,
      handoffs: [],
      settings: { ...usualSettings(undefined, role), ...agent?.settings, ...node.settings },
      nodes: nodes.map(({ id, label }) => ({ id, label })),
      edges: edges.map(({ from, to, type, bidirectional }) => ({ from, to, type, bidirectional })),
    },
    templates: [],
    override: null,
  })
  return composed.ok ? ownShare(composed.prompt.segments) : EMPTY
}
