// Commands about the policy.
import type { Command } from '../commands.ts'
import { DATA, HOST_CONFIG, JSON_OPTION, POLICY, REPO, WHERE } from './options.ts'

export const POLICY_COMMANDS: readonly Command[] = [
  {
    name: 'policy show',
    arguments: [],
    summary: 'print the policy: grants, approvals and what sessions may read',
    options: [POLICY, ...WHERE],
    example: 'onbook policy show',
    load: async () => (await import('../policy/show.ts')).show,
  },
  {
    name: 'policy explain',
    arguments: ['<tool>'],
    summary: 'show whether a tool call would be allowed, and why',
    options: [
      { flags: '--agent <name>', summary: 'caller: an agent, or a home session' },
      { flags: '--role <name>', summary: 'role of the caller (default: none, or the role of the node)' },
      { flags: '--args <json>', summary: 'arguments of the call, as JSON or @file' },
      { flags: '--mode <mode>', summary: 'planning or implementation (default: none, or the mode of the run)' },
      { flags: '--run <run>', summary: 'run of the calling node' },
      { flags: '--node <node>', summary: 'calling node of the run' },
      POLICY,
      REPO,
      HOST_CONFIG,
      ...WHERE,
    ],
    example: `onbook policy explain write_file --agent writer --args '{"path":"docs/plan.md","content":""}'`,
    load: async () => (await import('../policy/explain.ts')).explain,
  },
  {
    name: 'policy log',
    arguments: [],
    summary: 'print the changes of the policy, oldest first',
    options: [DATA, JSON_OPTION],
    example: 'onbook policy log',
    load: async () => (await import('../policy/log.ts')).log,
  },
]
