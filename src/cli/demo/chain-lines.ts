// Shows which layer's prompt won at a node, and the result of the others, in the format of OpenWOP RFC 0029 §D: one line for each layer.
import type pc from 'picocolors'
import { toPromptResolved } from '../../wire/openwop/prompt-resolved.ts'
import { visible } from '../report/visible.ts'
import type { Choice } from '../runs/story.ts'

export type Colors = ReturnType<typeof pc.createColors>

const LAYER_WIDTH = 'workflow-defaults'.length
const REF_WIDTH = 24

/** The newest choice for the kind `system`; empty when no prompt was chosen. */
export function chainLines(prompts: readonly Choice[], nodeId: string, color: Colors): readonly string[] {
  const choice = prompts.findLast(one => one.nodeId === nodeId && one.kind === 'system')
  if (choice === undefined) return []
  const { chain } = toPromptResolved({ nodeId, kind: 'system', agentId: null, trace: choice.chain })
  return chain.map(({ layer, source, applied, reason }) => {
    const name = layer.padEnd(LAYER_WIDTH)
    if (source === undefined) return color.dim(`✗ ${name}  none`)
    const ref = visible(source)
    if (applied) return `${color.green('✓')} ${name}  ${color.bold(ref)}`
    return color.dim(`✗ ${name}  ${ref.padEnd(REF_WIDTH)}  ${whyNot(reason)}`.trimEnd())
  })
}

/** The lines beside it show the layer that won, so the reason need not name it. */
const whyNot = (reason = ''): string => (reason.startsWith('superseded') ? 'superseded' : visible(reason))
