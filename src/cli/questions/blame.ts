// onbook blame: every word of what an agent was told, with who said it and where it is written.
import { blameRun } from '../../engine/blame/blame.ts'
import type { StepQuestion } from '../../engine/blame/blamed-steps.ts'
import type { Input } from '../commands.ts'
import { numberOption, printJson, useColor } from '../terminal.ts'
import { blamePage } from './blame-page.ts'
import { openQuestioned } from './open.ts'

export async function blame(input: Input): Promise<number> {
  const question = questionOf(input)
  const { store, tenant, runId, close } = await openQuestioned(input, String(input.run))
  try {
    const answers = await blameRun(store, tenant, runId, question)
    const isOne = question.nodeId !== undefined
    if (input.json) printJson(isOne ? answers[0] : answers)
    else if (answers.length === 0) process.stdout.write('No node has received a prompt yet.\n')
    else process.stdout.write(blamePage(answers, isOne, useColor(process.stdout)))
    return 0
  } finally {
    await close()
  }
}

const COUNT = { least: 1, most: Number.MAX_SAFE_INTEGER }

const questionOf = ({ node, visit, step }: Input): StepQuestion => ({
  nodeId: node === undefined ? undefined : String(node),
  visit: visit === undefined ? undefined : numberOption(visit, '--visit', 1, COUNT),
  step: step === undefined ? undefined : numberOption(step, '--step', 1, COUNT),
})
