// onbook policy explain: shows how the gate would decide a call. Nothing is called, and nothing is recorded.
import type { ExplainedPolicy } from '../../engine/policy/explain-policy.ts'
import { Fault } from '../../errors.ts'
import type { ExplainRequest } from '../../wire/onbook/policy.ts'
import type { Input } from '../commands.ts'
import { columns } from '../report/columns.ts'
import { visible } from '../report/visible.ts'
import { MODES, objectOf } from '../runs/run-options.ts'
import { choiceOption, printJson } from '../terminal.ts'
import { askingText } from './format.ts'
import { withPolicy } from './with-policy.ts'

export async function explain(input: Input): Promise<number> {
  const request = {
    tool: String(input.tool),
    agent: textOption(input.agent),
    role: textOption(input.role),
    mode: input.mode === undefined ? undefined : choiceOption(input.mode, '--mode', MODES),
    arguments: typeof input.args === 'string' ? await objectOf(input.args, '--args', 'the arguments') : undefined,
    ...nodeOption(input),
  }
  if (request.agent === undefined && request.runId === undefined)
    throw new Fault('usage_invalid', { problem: 'Say who would call it: --agent NAME, or --run RUN --node NODE' })
  return withPolicy(input, async (policy, from) => {
    const explained = (await policy.explain(request as ExplainRequest)) as ExplainedPolicy
    if (input.json) printJson(explained)
    else process.stdout.write(page(explained, from))
    return explained.decision === 'allowed' ? 0 : 1
  })
}

const textOption = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function nodeOption({ run, node }: Input): { readonly runId?: string; readonly nodeId?: string } {
  if ((run === undefined) !== (node === undefined)) throw new Fault('usage_invalid', { problem: '--run and --node go together' })
  return run === undefined ? {} : { runId: String(run), nodeId: String(node) }
}

const DECIDED = { allowed: 'would be allowed', refused: 'would be refused', waiting: 'would wait for a person' } as const
const OUTCOMES: Readonly<Record<string, string>> = { not_reached: 'not reached', not_applicable: 'not applicable' }

function page({ tool, agent, role, mode, decision, conditions, grants, asks }: ExplainedPolicy, from: string): string {
  const who = [agent, ...(role === null ? [] : [`role ${role}`]), ...(mode === null ? [] : [mode])].join(', ')
  const unknown = conditions.some(({ outcome }) => outcome === 'unknown')
  const taken = decision === 'allowed' && unknown ? ', if what is unknown holds' : ''
  return [
    `${visible(`${tool} for ${who} ${DECIDED[decision]}${asks === null ? '' : `: ${askingText(asks)}`}${taken}.`)}\n`,
    `\n${columns(conditions.map(({ condition, outcome, reason }) => ['', condition, OUTCOMES[outcome] ?? outcome, reason]))}`,
    `\n${visible(`${grants.length === 0 ? 'No grant names it' : 'Grants that name it'}: ${from}`)}\n`,
    columns(grants.map(one => ['', placeText(one), OUTCOMES[one.outcome] ?? one.outcome, one.reason])),
  ].join('')
}

const placeText = ({ grant, line }: ExplainedPolicy['grants'][number]): string =>
  line === null ? `grant ${grant}` : `grant ${grant}, line ${line}`
