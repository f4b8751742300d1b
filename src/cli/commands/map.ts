// Folder: The map of commands: daily ones, groups with their verbs, options and help, as data.
// The map of commands: the daily ones, and the verbs of each group. --help and docs/reference/cli.md follow its order.

export interface Group {
  readonly summary: string
  readonly verbs: readonly string[]
  /** The verb of a group that is called without one. */
  readonly default: string
}

const group = (summary: string, verbs: string, fallback = 'list'): Group => ({ summary, verbs: verbs.split(' '), default: fallback })

export const DAILY: readonly string[] = [
  'init',
  'check',
  'test',
  'publish',
  'run',
  'why',
  'blame',
  'diff',
  'show',
  'replay',
  'verify',
  'demo',
]

export const GROUPS: Readonly<Record<string, Group>> = {
  prompt: group('versions, labels and texts of prompts', 'list show render bump activate retire label rollback'),
  run: group(
    'recorded runs: find, steer, branch and move them',
    'start list pause resume cancel say mode override fork export import prefix',
  ),
  agent: group(
    'sessions of agents: durable conversations',
    'list show create config run say resume complete cancel sync apply events transcript',
  ),
  role: group('roles of a repo, and the shipped ones', 'list show init'),
  tool: group('tools of the host and its MCP servers', 'list adopt drop'),
  policy: group('which tools agents may use', 'show explain log', 'show'),
  approval: group('requests that wait for a person', 'list approve deny'),
  workspace: group('versioned folders of prompts, tools and context', 'list show log diff check checkout'),
  host: group('the server: HTTP API and inspector', 'serve status stop login logout', 'status'),
  key: group('keys that open a host', 'list create revoke login'),
  bundle: group('signed collections of prompts', 'list build sign verify install'),
  store: group(
    'the record: streams, objects, checkpoints, backups',
    'streams events object checkpoint anchor backup restore rebuild erase collect',
    'streams',
  ),
}
