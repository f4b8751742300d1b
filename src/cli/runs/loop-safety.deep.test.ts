// Tests agents that never stop by themselves: the run is paused before it spends without end, and shows why.
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const call = (name: string, args: object) => JSON.stringify({ tool_call: { name, args } })

/** An agent that cycles through a list of calls for ever. Its counter is outside the repo. */
function loop(calls: readonly string[], workflow = '') {
  const cases = calls.map((line, at) => `  ${at}) echo '${line}' ;;\n`).join('')
  return temporaryFolder(null, {
    'agent.sh': `cat > /dev/null\nn=$(cat ../count 2> /dev/null || echo 0)\necho $((n + 1)) > ../count\ncase $((n % ${calls.length})) in\n${cases}esac\n`,
    'work.yaml': `id: work\nobjective: Work.\n${workflow}nodes: [{ id: worker }]\n`,
    ...Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map(name => [`repo/${name}.txt`, `${name}\n`])),
    'onbook.host.yaml': 'cliAgents:\n  agent: { command: [sh, ../agent.sh] }\ntools: { bind: [read_file, write_file] }\n',
    'onbook.policy.yaml': 'offer: [read_file, write_file]\ngrants:\n  - tools: [read_file, write_file]\n',
  })
}
const RUN = ['run', 'work.yaml', '--provider', 'agent', '--model', 'default', '--repo', 'repo']

async function paused(folder: string, ...more: readonly string[]) {
  const { code, out, err } = await runCli([...RUN, ...more, '--json'], { cwd: folder })
  expect(code, err).toBe(1)
  return JSON.parse(out) as { runId: string; status: string; steps: number; paused: { evidence: { signal: string; period?: number } } }
}
const read = (name: string) => call('read_file', { path: `${name}.txt` })

describe('packs D2: an agent that never stops by itself', () => {
  it('packs D2: the same successful call with the same result stalls, and the page names the call', async () => {
    const folder = loop([read('a')])
    const run = await paused(folder)
    expect(run).toMatchObject({ status: 'paused', paused: { evidence: { signal: 'same_reply', calls: [{ tool: 'read_file' }] } } })
    expect(run.steps).toBe(6)
    const { out } = await runCli(['show', run.runId], { cwd: folder })
    expect(out).toContain('read_file gave the same result as before and no file changed')
  })

  it('packs D2: writing the same bytes again and again stalls', async () => {
    const run = await paused(loop([call('write_file', { path: 'a.txt', content: 'new' })]))
    expect(run).toMatchObject({ status: 'paused', paused: { evidence: { signal: 'same_reply' } } })
    expect(run.steps).toBeLessThan(10)
  })

  it.each([3, 5])('packs D2: a cycle of %i calls stalls, successful or failing', async period => {
    const names = ['a', 'b', 'missing', 'c', 'd'].slice(0, period)
    expect(await paused(loop(names.map(read)))).toMatchObject({ status: 'paused', paused: { evidence: { signal: 'cycle', period } } })
  })

  it('packs D2: a node that always does something new is paused after budget.stepsPerNode, and goes on when it is resumed', async () => {
    const folder = loop(
      Array.from({ length: 7 }, (_, at) => call('write_file', { path: 'a.txt', content: `${at}` })),
      'budget: { stepsPerNode: 4 }\n',
    )
    const run = await paused(folder)
    expect([run.steps, run.paused.evidence.signal]).toEqual([4, 'many_steps'])
    const again = await runCli(['runs', 'resume', run.runId, '--repo', 'repo'], { cwd: folder })
    expect(again.err + again.out).toContain('has taken 4 steps, as many as budget.stepsPerNode of the workflow allows')
    expect(JSON.parse((await runCli(['show', run.runId, '--json'], { cwd: folder })).out)).toMatchObject({ status: 'paused', steps: 8 })
    expect(await paused(folder, '--steps-per-node', '2')).toMatchObject({ steps: 2 })
  })
})
