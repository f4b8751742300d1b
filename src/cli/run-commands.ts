// The commands around runs.
import type { Command, Option } from './commands.ts'
import { HOST_CONFIG, LIMIT, POLICY, RECORDINGS, REPO, SCRIPT, WATCH, WHERE } from './options.ts'

const MODEL: Option = { flags: '--model <name>', summary: 'which model of it' }

/** For what is done here when no host does it. */
const WORK_HERE: readonly Option[] = [SCRIPT, RECORDINGS, POLICY, REPO, HOST_CONFIG]
const WORK: readonly Option[] = [
  { flags: '--provider <name>', summary: 'what nodes use that name no model (default: what the host is set to; with --script, scripted)' },
  MODEL,
  ...WORK_HERE,
]

const run = () => import('./runs/run.ts')
const looking = () => import('./runs/looking.ts')
const steering = () => import('./runs/steering.ts')
const approvals = () => import('./runs/approvals.ts')

const LIST: Omit<Command, 'name'> = {
  arguments: [],
  summary: 'list the runs',
  options: [
    {
      flags: '--status <status>',
      summary: 'only those that are so: running, waiting-approval, waiting-input, paused, completed, failed, cancelled …',
    },
    { flags: '--workflow <id>', summary: 'only those of this workflow' },
    { ...LIMIT, summary: 'print the newest so many (default: 50; with --json, all)' },
    ...WHERE,
  ],
  example: 'onbook runs --status paused',
  load: async () => (await looking()).list,
}

const APPROVALS: Omit<Command, 'name'> = {
  arguments: [],
  summary: 'list what waits for a person to decide',
  options: [LIMIT, ...WHERE],
  example: 'onbook approvals',
  load: async () => (await approvals()).list,
}

const NOTE: Option = { flags: '--note <text>', summary: 'kept in the record' }

export const RUN_COMMANDS: readonly Command[] = [
  {
    name: 'run',
    arguments: ['<workflow>'],
    summary: 'run a workflow until it is over or waits for a person; one that is named by its file is published first',
    options: [
      { flags: '--input <json>', summary: 'the inputs of the workflow, as JSON or @file' },
      { flags: '--override <text>', summary: 'what every node is told last, as text or @file' },
      { flags: '--prompt-override <kind=ref>', summary: 'the template of a kind, over every other layer', repeated: true },
      { flags: '--mode <mode>', summary: 'planning or implementation (default: what the workflow says)' },
      { flags: '--budget-steps <n>', summary: 'steps of the run' },
      { flags: '--steps-per-node <n>', summary: 'steps of one node before the run is paused; default 50, or as the workflow sets it' },
      { flags: '--budget-tokens <n>', summary: 'tokens of the run' },
      { flags: '--timeout <seconds>', summary: 'of the run' },
      { flags: '--detach', summary: 'do not wait; through a host only' },
      WATCH,
      ...WORK,
      ...WHERE,
    ],
    example: `onbook run workflows/newsroom.yaml --input '{"topic":"Ferry","facts":[]}' --script script.yaml --watch`,
    load: async () => (await run()).run,
  },
  {
    name: 'fork',
    arguments: ['<run>'],
    summary: 'go on with a recorded run from one of its events, in earnest and with something different, to see what would have happened',
    options: [
      { flags: '--from <event>', summary: 'what it goes on from: an event by its sequence, or a node, writer.2 for its second visit' },
      {
        flags: '--prompt-override <kind=ref>',
        summary: 'the template of a kind, over every other layer, in every step of every node from there on',
        repeated: true,
      },
      { flags: '--override <text>', summary: 'what every node is told last, as text or @file' },
      { flags: '--mode <mode>', summary: 'planning or implementation' },
      { flags: '--input <json>', summary: 'other inputs, as JSON or @file; from before the first node only' },
      WATCH,
      { flags: '--provider <name>', summary: 'what every node uses that starts from there on (default: what it uses in the run)' },
      MODEL,
      ...WORK_HERE,
      ...WHERE,
    ],
    example:
      'onbook fork run_0123456789abcdefghjkmnpq --from writer --prompt-override system=prompt:house-style@2.0.0 --script script.yaml',
    load: async () => (await import('./runs/fork.ts')).fork,
  },
  { name: 'runs', ...LIST },
  { name: 'runs list', ...LIST },
  {
    name: 'show',
    arguments: ['<run>'],
    summary: "tell a run's story; with --node, what exactly the agent was told in one step",
    options: [
      { flags: '--node <id>', summary: 'the five blocks of a step of this node, with where each part came from' },
      { flags: '--step <n>', summary: 'which of its steps (default: the newest)' },
      { flags: '--visit <n>', summary: 'which time the node was at work, where an edge leads back to it (default: the newest)' },
      { flags: '--diff', summary: 'what became of the repo in that step, and nothing else' },
      ...WHERE,
    ],
    example: 'onbook show run_0123456789abcdefghjkmnpq --node writer --step 1',
    load: async () => (await looking()).show,
  },
  {
    name: 'runs pause',
    arguments: ['<run>'],
    summary: 'start no node and no step until it is resumed',
    options: WHERE,
    example: 'onbook runs pause run_0123456789abcdefghjkmnpq',
    load: async () => (await steering()).pause,
  },
  {
    name: 'runs resume',
    arguments: ['<run>'],
    summary: 'go on with a run that is paused, or that whoever was at it has left',
    options: [{ flags: '--detach', summary: 'do not wait; through a host only' }, WATCH, ...WORK, ...WHERE],
    example: 'onbook runs resume run_0123456789abcdefghjkmnpq --watch',
    load: async () => (await steering()).resume,
  },
  {
    name: 'runs cancel',
    arguments: ['<run>'],
    summary: 'end a run',
    options: [{ flags: '--reason <text>', summary: 'kept in the record' }, ...WHERE],
    example: 'onbook runs cancel run_0123456789abcdefghjkmnpq --reason "wrong brief"',
    load: async () => (await steering()).cancel,
  },
  {
    name: 'runs mode',
    arguments: ['<run>', '<mode>'],
    summary: 'change the mode from the next step on: planning or implementation',
    options: WHERE,
    example: 'onbook runs mode run_0123456789abcdefghjkmnpq implementation',
    load: async () => (await steering()).mode,
  },
  {
    name: 'runs override',
    arguments: ['<run>', '[text]'],
    summary: 'say something that every prompt of the run ends with, or every prompt of one node; a text or @file',
    options: [{ flags: '--node <id>', summary: 'this node alone' }, { flags: '--remove', summary: 'take it back' }, ...WHERE],
    example: 'onbook runs override run_0123456789abcdefghjkmnpq "Answer in one paragraph." --node writer',
    load: async () => (await steering()).override,
  },
  {
    name: 'runs say',
    arguments: ['<run>', '<node>', '<text>'],
    summary: 'answer a node that waits, or leave it a message for what comes next; a text or @file',
    options: [
      { flags: '--steer', summary: 'for the next step of the node' },
      { flags: '--interrupt', summary: 'at once: what is being said is broken off' },
      WATCH,
      ...WORK,
      ...WHERE,
    ],
    example: 'onbook runs say run_0123456789abcdefghjkmnpq writer "Shorter, please"',
    load: async () => (await steering()).say,
  },
  { name: 'approvals', ...APPROVALS },
  { name: 'approvals list', ...APPROVALS },
  {
    name: 'approvals approve',
    arguments: ['<approval>'],
    summary: 'let it happen; where no host does, go on with the run',
    options: [
      NOTE,
      { flags: '--arguments <json>', summary: 'what the tool is called with instead, as JSON or @file' },
      WATCH,
      ...WORK,
      ...WHERE,
    ],
    example: 'onbook approvals approve approval-1 --note "the plan is good"',
    load: async () => (await approvals()).approve,
  },
  {
    name: 'approvals deny',
    arguments: ['<approval>'],
    summary: 'do not let it happen; where no host does, go on with the run',
    options: [NOTE, WATCH, ...WORK, ...WHERE],
    example: 'onbook approvals deny approval-1 --note "not before the tests pass"',
    load: async () => (await approvals()).deny,
  },
]
