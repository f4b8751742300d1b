// The commands around the policy.
import type { Command } from './commands.ts'
import { DATA, HOST_CONFIG, JSON_OPTION, POLICY, REPO, WHERE } from './options.ts'

export const POLICY_COMMANDS: readonly Command[] = [
  {
    name: 'policy show',
    arguments: [],
    summary: 'print what is allowed: grants with their lines, who is asked, what sessions may read',
    options: [POLICY, ...WHERE],
    example: 'onbook policy show',
    load: async () => (await import('./policy/show.ts')).show,
  },
  {
    name: 'policy explain',
    arguments: ['<tool>'],
    summary: 'say whether a call would be allowed, condition by condition, and which grant decides; ends with 1 when it would not',
    options: [
      { flags: '--agent <name>', summary: 'who would call it: an agent, or a home session' },
      { flags: '--role <name>', summary: 'in this role (default: none, or the node’s)' },
      { flags: '--args <json>', summary: 'with these arguments, as JSON or @file' },
      { flags: '--mode <mode>', summary: 'planning or implementation (default: none, or the run’s)' },
      { flags: '--run <run>', summary: 'at a node of this run' },
      { flags: '--node <node>', summary: 'which node' },
      POLICY,
      REPO,
      HOST_CONFIG,
      ...WHERE,
    ],
    example: `onbook policy explain write_file --agent writer --args '{"path":"docs/plan.md","content":""}'`,
    load: async () => (await import('./policy/explain.ts')).explain,
  },
  {
    name: 'policy log',
    arguments: [],
    summary: 'print how the policy of a record has changed, oldest first',
    options: [DATA, JSON_OPTION],
    example: 'onbook policy log',
    load: async () => (await import('./policy/log.ts')).log,
  },
]
