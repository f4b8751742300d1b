// Reads the input and settings of a new run from options.

import { readText } from '../../book/record-folder.ts'
import type { Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import { PROMPT_KINDS } from '../../core/pack/compile.ts'
import { readPromptRef } from '../../core/resolve/prompt-ref.ts'
import type { Budget } from '../../core/workflow/workflow.ts'
import { Fault } from '../../errors.ts'
import type { StartRunRequest } from '../../wire/onbook/runs.ts'
import type { Input } from '../commands.ts'
import { choiceOption, numberOption } from '../terminal.ts'

export const MODES = ['planning', 'implementation'] as const

export async function runFrom(workflowId: string, input: Input): Promise<StartRunRequest> {
  const promptOverrides = overridesFrom((input.promptOverride as readonly string[] | undefined) ?? [])
  return {
    workflowId,
    inputs: input.input === undefined ? {} : await objectOf(String(input.input), '--input', 'the inputs of the workflow'),
    ...(Object.keys(promptOverrides).length === 0 ? {} : { configurable: { promptOverrides } }),
    budget: budgetFrom(input),
    ...(input.mode === undefined ? {} : { mode: choiceOption(input.mode, '--mode', MODES) }),
    ...(input.override === undefined ? {} : { override: await textOf(String(input.override)) }),
  }
}

/** A text, or @file for the content of a file. */
export const textOf = async (given: string): Promise<string> => (given.startsWith('@') ? readText(given.slice(1)) : given)

/** @param holds describes the content for error messages */
export async function objectOf(given: string, option: string, holds: string): Promise<JsonObject> {
  const text = await textOf(given)
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch (error) {
    throw new Fault('usage_invalid', { problem: `${option} is not JSON: ${(error as Error).message}` })
  }
  if (!isObject(value)) throw new Fault('usage_invalid', { problem: `${option} must be an object: ${holds}, by name` })
  return value
}

function overridesFrom(given: readonly string[]): JsonObject {
  return Object.fromEntries(
    given.map(one => {
      const [kind = '', ...rest] = one.split('=')
      if (rest.length === 0)
        throw new Fault('usage_invalid', {
          problem: `--prompt-override ${one} must be kind=ref: system=prompt:house-style@2.0.0, say; there are the kinds ${PROMPT_KINDS.join(', ')}`,
        })
      const read = readPromptRef(rest.join('='))
      if (!read.ok) throw new Fault('usage_invalid', { problem: `--prompt-override ${one} must be kind=ref: ${read.problem}` })
      return [choiceOption(kind, 'the kind of --prompt-override', PROMPT_KINDS), rest.join('=')]
    }),
  )
}

function budgetFrom({ budgetSteps, stepsPerNode, budgetTokens, timeout }: Input): Partial<Budget> {
  const AT_LEAST_ONE = { least: 1, most: 1e9 }
  return {
    ...(budgetSteps === undefined ? {} : { steps: numberOption(budgetSteps, '--budget-steps', 1, AT_LEAST_ONE) }),
    ...(stepsPerNode === undefined ? {} : { stepsPerNode: numberOption(stepsPerNode, '--steps-per-node', 1, AT_LEAST_ONE) }),
    ...(budgetTokens === undefined ? {} : { tokens: numberOption(budgetTokens, '--budget-tokens', 1, AT_LEAST_ONE) }),
    ...(timeout === undefined
      ? {}
      : { milliseconds: Math.ceil(1000 * numberOption(timeout, '--timeout', 1, { least: 0.001, most: 1e9 })) }),
  }
}
