// Reads onbook.policy.yaml: whole or not at all, and every problem has its place.
import type { Json } from '../digest/digest.ts'
import { checkForm } from '../pack/form.ts'
import { type Place, type Position, positionsIn } from '../pack/place.ts'
import { readYaml } from '../pack/yaml.ts'
import { allowListed } from '../tools/allow-listed.ts'
import { COMMAND_LINE, fitsNothing } from './argument-patterns.ts'
import type { Grant } from './grants.ts'
import { DEFAULT_POLICY, type HostPolicy } from './host-policy.ts'
import { policyFormat } from './policy-format.ts'

export const POLICY_FILE = 'onbook.policy.yaml'

export interface PolicyProblem {
  readonly message: string
  readonly position: Position
}

export interface PlacedPolicy {
  readonly policy: HostPolicy
  /** The line of the file where each grant begins. */
  readonly lines: readonly number[]
}

export interface ReadPolicy extends PlacedPolicy {
  /** With any problem, nothing of the file is used: the default policy applies. */
  readonly problems: readonly PolicyProblem[]
}

interface Complaint extends Place {
  readonly message: string
}

export function readPolicy(text: string): ReadPolicy {
  const without = (problems: readonly PolicyProblem[]): ReadPolicy => ({ policy: DEFAULT_POLICY, problems, lines: [] })
  // Nothing but comments allows nothing.
  if (text.replace(/#.*/g, '').trim() === '') return without([])
  const document = readYaml(text)
  const position = positionsIn(text)
  if (document.problems.length > 0 || document.value === undefined)
    return without(document.problems.map(({ start, message }) => ({ message, position: position(start) })))
  const complaints = complaintsAbout(document.value)
  if (complaints.length > 0)
    return without(complaints.map(({ message, ...place }) => ({ message, position: position(document.locate(place).start) })))
  const policy = withDefaults(document.value as unknown as Partial<HostPolicy>)
  return {
    policy,
    problems: [],
    lines: policy.grants.map((_, index) => position(document.locate({ pointer: ['grants', index] }).start).line),
  }
}

const withDefaults = ({ approvals, orchestrator, ...written }: Partial<HostPolicy>): HostPolicy => ({
  ...DEFAULT_POLICY,
  ...written,
  approvals: { ...DEFAULT_POLICY.approvals, ...approvals },
  orchestrator: { ...DEFAULT_POLICY.orchestrator, ...orchestrator },
})

function complaintsAbout(value: Json): readonly Complaint[] {
  const form = checkForm(value, policyFormat, 'The policy').map(({ pointer, keyword, message }): Complaint => {
    return { pointer, message, ...(keyword === 'additionalProperties' ? { key: true } : {}) }
  })
  if (form.length > 0) return form
  const { grants = [], planningCommands = [] } = value as unknown as Partial<HostPolicy>
  return [
    ...grants.flatMap((grant, index) => [...complaintsAboutGrant(grant, index)]),
    ...planningCommands.flatMap((line, index) => (listsSomething(line) ? [] : [noCommand(line, ['planningCommands', index])])),
  ]
}

function* complaintsAboutGrant({ deny, approval, arguments: rules = {} }: Grant, index: number): Iterable<Complaint> {
  const pointer = ['grants', index]
  if (deny === true && approval !== undefined && approval !== false)
    yield { pointer: [...pointer, 'approval'], key: true, message: 'A denial needs no approval: leave out "approval", or "deny"' }
  if (deny === true && Object.hasOwn(rules, COMMAND_LINE))
    yield {
      pointer: [...pointer, 'arguments', COMMAND_LINE],
      key: true,
      message: 'A command can be written in too many ways to deny some of them: grant those that may run, or deny the tool',
    }
  for (const [argument, patterns] of Object.entries(rules))
    for (const [at, pattern] of patterns.entries()) {
      const place = [...pointer, 'arguments', argument, at]
      if (typeof pattern !== 'string') continue
      if (argument === COMMAND_LINE && !listsSomething(pattern)) yield noCommand(pattern, place)
      if (argument !== COMMAND_LINE && fitsNothing(pattern))
        yield { pointer: place, message: `Nothing fits ${JSON.stringify(pattern)}: a text with ".." or "\\" in it fits no pattern` }
    }
}

/** A line that a shell does more with than split never matches, so such a line is an error. */
const listsSomething = (line: string): boolean => allowListed(line.replace(/ +\*$/, ''), [line])

const noCommand = (line: string, pointer: Place['pointer']): Complaint => ({
  pointer,
  message: `${JSON.stringify(line)} lists no command: write plain words, and at most a * behind them`,
})
