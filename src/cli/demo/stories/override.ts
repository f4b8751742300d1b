// Story: a line in the workflow gives one node another prompt, over the one of its agent. The prompts of the other nodes stay the same.
import { writeFile } from 'node:fs/promises'
import { readText } from '../../../book/record-folder.ts'
import { shortHash } from '../../runs/format.ts'
import type { Story } from '../../runs/story.ts'
import { chainLines } from '../chain-lines.ts'
import { INPUT, WORKFLOW } from '../seed.ts'
import type { Stage } from '../stage.ts'

const EXPERIMENT = 'newsroom/workflows/experiment.yaml'
const LINE = '    systemPromptRef: prompt:writer@1.0.0'

export async function override({ type, say, story, runId, work, color }: Stage): Promise<string> {
  const written = (await readText(WORKFLOW))
    .replace(/^id: .*$/m, 'id: experiment')
    .replace(/^ {4}agent: .*writer$/m, found => `${found}\n${LINE}`)
  await writeFile(EXPERIMENT, written)
  say(`${EXPERIMENT} has one more line, at the writer:`, color.green(`+${LINE.slice(3)}`))
  const { runId: other } = await type<{ readonly runId: string }>(['run', EXPERIMENT, '--input', `@${INPUT}`, ...work])
  const [before, after] = [await story(runId), await story(other)]
  say('writer', ...chainLines(after.prompts, 'writer', color).map(line => `  ${line}`))
  const others = ['critic', 'editor'].map(nodeId => ({ nodeId, was: roleOf(before, nodeId), is: roleOf(after, nodeId) }))
  for (const { nodeId, was, is } of others)
    say(`${nodeId}  its role is ${was === is ? 'the same, byte for byte' : 'not the same'}: ${shortHash(is)}`)
  return others.every(({ was, is }) => was === is)
    ? 'Only the prompt of the writer changed, and the record shows which layer won over which.'
    : 'The prompts of other nodes changed, too.'
}

const roleOf = ({ sent }: Story, node: string): string => sent.findLast(({ nodeId }) => nodeId === node)?.blocks.role ?? 'nothing'
