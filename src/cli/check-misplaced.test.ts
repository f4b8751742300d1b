// Tests onbook check on workflows and agents outside their folders.
import { expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

const cwd = temporaryFolder(null, {
  'flow.yaml': 'id: flow\nobjective: Say something.\nnodes: [{ id: writer }]\n',
  'broken.yaml': 'id: flow\nobjective: Say something.\nnodes: [{ id: writer, colour: red }]\n',
  'flow.json': '{ "id": "flow", "objective": "Say something.", "nodes": [{ "id": "writer", "colour": "red" }] }',
  'people/writer.yaml': 'agentId: local.desk.writer\npersona: Writer\nsystemPromptRef: writer.md\n',
  'people/writer.md': 'Write.\n',
  'people/nobody.yaml': 'agentId: local.desk.nobody\npersona: Nobody\nsystemPromptRef: nobody.md\n',
  'pack.yaml': 'agentId: writer\nnodes: []\noutputSchema: {}\n',
})
const check = (...args: readonly string[]) => runCli(['check', ...args], { cwd })
const findingsOf = (out: string) =>
  (JSON.parse(out) as { findings: { file: string; line: number; rule: string; message: string }[] }).findings

it('packs small: a workflow outside workflows/ is checked as a workflow, and the check says so and why', async () => {
  const { code, out, err } = await check('flow.yaml')
  expect([code, out]).toEqual([0, expect.stringMatching(/\n1 file checked: no problems\.\n$/)])
  expect(err).toBe(
    'flow.yaml is checked as a workflow, because it has "nodes", which no pack has. "onbook publish" takes workflows from workflows/ only.\n',
  )
  for (const file of ['broken.yaml', 'flow.json']) {
    const broken = await check(file, '--json')
    expect([broken.code, findingsOf(broken.out)]).toMatchObject([
      1,
      [{ file, rule: 'workflow-valid', message: expect.stringContaining('colour') }],
    ])
  }
})

it('packs small: an agent outside agents/ is checked as an agent, with the prompt beside it', async () => {
  const sound = await check('people/writer.yaml')
  expect(sound).toMatchObject({
    code: 0,
    err: expect.stringContaining('people/writer.yaml is checked as an agent, because it has "persona"'),
  })
  const { code, out } = await check('people/nobody.yaml', '--json')
  expect([code, findingsOf(out)]).toMatchObject([1, [{ file: 'people/nobody.yaml', message: expect.stringContaining('nobody.md') }]])
})

it('packs small: a file with a key of packs is checked as a pack', async () => {
  const { code, out, err } = await check('pack.yaml', '--json')
  expect([code, err]).toEqual([1, ''])
  expect(findingsOf(out).map(({ rule }) => rule)).toContain('pack-schema')
})
