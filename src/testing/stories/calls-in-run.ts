// Tool calls of one reply, in a run with the repo tools behind the real gate: the verdicts, and the model's results. For tests.
import { type RepoToolOptions, repoTools } from '../../adapters/repo-tools/repo-tools.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { Condition } from '../../core/gate/authorize.ts'
import type { RunState } from '../../core/run/state.ts'
import type { RunParts } from '../../engine/runs/work.ts'
import { runHouse } from './run-house.ts'

export interface RepoRun {
  readonly root: string
  readonly options?: RepoToolOptions
  /** Beside `id`. */
  readonly node?: { readonly [key: string]: Json }
  readonly mode?: 'planning' | 'implementation'
  readonly parts?: Partial<RunParts>
}

export interface ToldCall {
  readonly decision: string
  /** The condition that failed. */
  readonly failed: Condition | null
  readonly output: Json
  readonly isError: boolean
}

export interface CalledInRun {
  readonly told: readonly ToldCall[]
  /** The recorded status of each call. */
  readonly settled: readonly string[]
  readonly state: RunState
}

/** The model makes all the calls in its first reply, and ends with its second: one answer for each call, in order. */
export async function callsInRun(run: RepoRun, calls: readonly (readonly [tool: string, args: object])[]): Promise<CalledInRun> {
  const tools = repoTools(run.root, run.options)
  const asked = calls.map(([toolName, args]) => ({ toolName, arguments: args as Readonly<Record<string, unknown>> }))
  const house = runHouse(({ time }) => (time === 1 ? { tools: asked } : 'Done.'), {
    bindings: new Map(tools.map(tool => [tool.descriptor.name, tool])),
    grants: [{ tools: ['*'] }],
    hostCatalog: tools.map(({ descriptor }) => descriptor),
    ...run.parts,
  })
  try {
    const { mode = 'implementation', node = {} } = run
    const state = await house.go({ id: 'work', mode, objective: 'Work.', nodes: [{ id: 'agent', ...node }] })
    const events = await house.events()
    const verdicts = events.flatMap(event => (event.type === 'call.judged' ? [event.verdict] : []))
    const results = (house.chat.asked[1]?.call.messages ?? []).flatMap(({ content }) =>
      content.flatMap(part => (part.type === 'tool_result' ? [part] : [])),
    )
    const told = results.map(({ output, isError = false }, index) => {
      const { decision, conditions } = verdicts[index]!
      return { decision, failed: conditions.find(({ outcome }) => outcome === 'failed')?.condition ?? null, output, isError }
    })
    const settled = events.flatMap(event => (event.type === 'call.settled' ? [event.status] : []))
    return { told, settled, state }
  } finally {
    await house.close()
    await house.store.close()
  }
}
