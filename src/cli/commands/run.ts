// Commands about runs.
import type { Command, Option } from '../commands.ts'
import { HOST_CONFIG, LIMIT, MESSAGE, POLICY, RECORDINGS, REPO, SCRIPT, WATCH, WHERE } from './options.ts'

const MODEL: Option = { flags: '--model <name>', summary: 'model of the provider' }

/** For work that this process does where no host runs. */
const WORK_HERE: readonly Option[] = [SCRIPT, RECORDINGS, POLICY, REPO, HOST_CONFIG]
const WORK: readonly Option[] = [
  { flags: '--provider <name>', summary: 'provider for nodes that name none (default: as the host sets it; with --script, scripted)' },
  MODEL,
  ...WORK_HERE,
]

const run = () => import('../runs/run.ts')
const looking = () => import('../runs/show.ts')
const steering = () => import('../runs/steering.ts')
const approvals = () => import('../runs/approvals.ts')

const LIST: Omit<Command, 'name' | 'aliases'> = {
  arguments: [],
  summary: 'list runs, newest first',
  options: [
    {
      flags: '--status <status>',
      summary: 'status to filter by: running, waiting-approval, waiting-input, paused, completed, failed, cancelled …',
    },
    { flags: '--workflow <id>', summary: 'only runs of this workflow' },
    { flags: '--since <time>', summary: 'only runs created since a date, or within 30min, 2h, 3d, 1w' },
    { flags: '--grep <text>', summary: 'only runs whose id, workflow, agents or prompts hold this text' },
    { ...LIMIT, summary: 'latest runs to print (default: 50; with --json, all, without agents, prompts and decisions)' },
    ...WHERE,
  ],
  example: 'onbook run list --status paused',
  load: async () => (await import('../run-list/list.ts')).list,
}

const APPROVALS: Omit<Command, 'name' | 'aliases'> = {
  arguments: [],
  summary: 'list the open approvals',
  options: [LIMIT, ...WHERE],
  example: 'onbook approval list',
  load: async () => (await approvals()).list,
}

const NOTE: Option = { ...MESSAGE, earlier: '--note <text>' }

const START: readonly Option[] = [
  { flags: '--input <json>', summary: 'inputs of the workflow, as JSON or @file' },
  { flags: '--override <text>', summary: 'override for the end of every prompt, as text or @file' },
  { flags: '--prompt-override <kind=ref>', summary: 'template for a kind, above every other layer', repeated: true },
  { flags: '--mode <mode>', summary: 'planning or implementation (default: as the workflow sets it)' },
  { flags: '--budget-steps <n>', summary: 'most steps of the run (default: as the workflow sets it, else no limit)' },
  { flags: '--steps-per-node <n>', summary: 'steps of one node before the run pauses (default: as the workflow sets it, else 50)' },
  { flags: '--budget-tokens <n>', summary: 'most tokens of the run (default: as the workflow sets it, else no limit)' },
  { flags: '--timeout <seconds>', summary: 'seconds that the run may take (default: as the workflow sets it, else no limit)' },
  { flags: '--detach', summary: 'return at once; needs a host' },
  WATCH,
  ...WORK,
  ...WHERE,
]

export const RUN_COMMANDS: readonly Command[] = [
  {
    name: 'run',
    arguments: ['[workflow]'],
    summary: 'run a workflow until it ends or waits for a person',
    options: START,
    example: `onbook run workflows/newsroom.yaml --input '{"topic":"Ferry","facts":[]}' --script script.yaml --watch`,
    load: async () => (await run()).runOrList,
  },
  {
    name: 'run start',
    arguments: ['<workflow>'],
    summary: 'run a workflow, also one that is named like a verb',
    options: START,
    example: 'onbook run start list',
    load: async () => (await run()).run,
  },
  {
    name: 'run fork',
    aliases: ['fork'],
    arguments: ['<run>'],
    summary: 'branch a recorded run at an event and continue with a change',
    options: [
      { flags: '--from <event>', summary: 'event to branch at: a sequence, or a node such as writer, or writer.2 for its second visit' },
      {
        flags: '--prompt-override <kind=ref>',
        summary: 'template for a kind, above every other layer, in every step of every node from there on',
        repeated: true,
      },
      { flags: '--override <text>', summary: 'override for the end of every prompt, as text or @file' },
      { flags: '--mode <mode>', summary: 'planning or implementation' },
      { flags: '--input <json>', summary: 'other inputs, as JSON or @file; only before the first node' },
      WATCH,
      { flags: '--provider <name>', summary: 'provider of every node that starts after the branch (default: as in the run)' },
      MODEL,
      ...WORK_HERE,
      ...WHERE,
    ],
    example:
      'onbook run fork run_0123456789abcdefghjkmnpq --from writer --prompt-override system=prompt:house-style@2.0.0 --script script.yaml',
    load: async () => (await import('../runs/fork.ts')).fork,
  },
  { name: 'run list', aliases: ['runs', 'runs list'], ...LIST },
  {
    name: 'show',
    arguments: ['<run>'],
    summary: 'show the events of a run, or the prompt of a step',
    options: [
      { flags: '--node <id>', summary: 'node whose prompt is printed: the five blocks, with the origin of each part' },
      { flags: '--step <n>', summary: 'step of the node (default: the latest)' },
      { flags: '--visit <n>', summary: 'visit of the node, where an edge leads back to it (default: the latest)' },
      { flags: '--diff', summary: 'print only the changes of the repo in that step' },
      ...WHERE,
    ],
    example: 'onbook show run_0123456789abcdefghjkmnpq --node writer --step 1',
    load: async () => (await looking()).show,
  },
  {
    name: 'run pause',
    aliases: ['runs pause'],
    arguments: ['<run>'],
    summary: 'pause a run: no node or step starts until it resumes',
    options: WHERE,
    example: 'onbook run pause run_0123456789abcdefghjkmnpq',
    load: async () => (await steering()).pause,
  },
  {
    name: 'run resume',
    aliases: ['runs resume'],
    arguments: ['<run>'],
    summary: 'resume a paused or abandoned run',
    options: [{ flags: '--detach', summary: 'return at once; needs a host' }, WATCH, ...WORK, ...WHERE],
    example: 'onbook run resume run_0123456789abcdefghjkmnpq --watch',
    load: async () => (await steering()).resume,
  },
  {
    name: 'run cancel',
    aliases: ['runs cancel'],
    arguments: ['<run>'],
    summary: 'cancel a run',
    options: [{ ...MESSAGE, earlier: '--reason <text>' }, ...WHERE],
    example: 'onbook run cancel run_0123456789abcdefghjkmnpq -m "wrong brief"',
    load: async () => (await steering()).cancel,
  },
  {
    name: 'run mode',
    aliases: ['runs mode'],
    arguments: ['<run>', '<mode>'],
    summary: 'change the mode of a run from its next step on',
    options: WHERE,
    example: 'onbook run mode run_0123456789abcdefghjkmnpq implementation',
    load: async () => (await steering()).mode,
  },
  {
    name: 'run override',
    aliases: ['runs override'],
    arguments: ['<run>', '[text]'],
    summary: 'set the text that every prompt of a run ends with',
    options: [{ flags: '--node <id>', summary: 'only this node' }, { flags: '--remove', summary: 'remove the override' }, ...WHERE],
    example: 'onbook run override run_0123456789abcdefghjkmnpq "Answer in one paragraph." --node writer',
    load: async () => (await steering()).override,
  },
  {
    name: 'run say',
    aliases: ['runs say'],
    arguments: ['<run>', '<node>', '<text>'],
    summary: 'answer a waiting node, or leave it a message',
    options: [
      { flags: '--steer', summary: 'deliver the message at the next step of the node' },
      { flags: '--interrupt', summary: 'deliver the message now, and end the model call in progress' },
      WATCH,
      ...WORK,
      ...WHERE,
    ],
    example: 'onbook run say run_0123456789abcdefghjkmnpq writer "Shorter, please"',
    load: async () => (await steering()).say,
  },
  { name: 'approval list', aliases: ['approvals', 'approvals list'], ...APPROVALS },
  {
    name: 'approval approve',
    aliases: ['approvals approve'],
    arguments: ['<approval>'],
    summary: 'approve a request; without a host, also continue the run',
    options: [NOTE, { flags: '--arguments <json>', summary: 'other arguments for the tool, as JSON or @file' }, WATCH, ...WORK, ...WHERE],
    example: 'onbook approval approve approval-1 -m "the plan is good"',
    load: async () => (await approvals()).approve,
  },
  {
    name: 'approval deny',
    aliases: ['approvals deny'],
    arguments: ['<approval>'],
    summary: 'deny a request; without a host, also continue the run',
    options: [NOTE, WATCH, ...WORK, ...WHERE],
    example: 'onbook approval deny approval-1 -m "not before the tests pass"',
    load: async () => (await approvals()).deny,
  },
]
