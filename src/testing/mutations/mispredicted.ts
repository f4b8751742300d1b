// Proposals with their predicted changes, compared with the prompts of runs after the adoption: lists wrong predictions.
import fc from 'fast-check'
import { DESK, type DeskFiles, openDesk, pack, role } from '../stories/proposed-desk.ts'

/** The start of every desk: it holds parts that a proposal can remove, and causes that only work together. */
const BEFORE: DeskFiles = {
  ...DESK,
  'docs/templates/implementer.md': role('Be quick.'),
  'workflows/story.yaml': DESK['workflows/story.yaml']!.replace(
    'agent: local.desk.writer }',
    'agent: local.desk.writer, role: implementer }',
  ),
}

const changed = (path: string, from: string, to: string) => (files: DeskFiles) => {
  if (!files[path]!.includes(from)) throw new Error(`${path} has no ${from}`)
  return { ...files, [path]: files[path]!.replace(from, to) }
}
const written = (path: string, text: string) => (files: DeskFiles) => ({ ...files, [path]: text })
const deleted = (path: string) => (files: DeskFiles) => Object.fromEntries(Object.entries(files).filter(([one]) => one !== path))

/** That can be adopted for real, and any of them together. */
const CHANGES: readonly ((files: DeskFiles) => DeskFiles)[] = [
  written('prompts/house/v1.1.0.yaml', pack('house', '1.1.0', 'Write for phones.')),
  written('context/desk.md', 'We print at seven.\n'),
  written('docs/templates/reviewer.md', role('Be kind.')),
  deleted('docs/templates/implementer.md'),
  written('prompts/strict/v2.0.0.yaml', pack('strict', '2.0.0', 'Be kind.')),
  changed('tools/descriptors/probe.json', 'Tries.', 'Tries hard.'),
  changed('agents/writer.yaml', 'role: implementer', 'role: investigator'),
  changed('agents/critic.yaml', 'role: reviewer', 'promptOverrides: { user: "prompt:house@1.0.0" }\nrole: reviewer'),
  changed('workflows/story.yaml', 'strict@1.0.0', 'strict'),
  changed('workflows/story.yaml', 'objective: A story.', 'objective: A long story.\ndefinitionOfDone: It is printed.'),
  // Alone, the node goes on in the role that its agent has.
  changed('workflows/story.yaml', ', role: implementer }', ' }'),
  changed('agents/critic.yaml', 'label: Critic', 'label: Critic\ntoolAllowlist: []'),
]

/** The same for the same seed. */
export async function mispredicted(count: number, seed: number): Promise<readonly object[]> {
  const wrong: object[] = []
  for (const changes of fc.sample(fc.subarray([...CHANGES], { minLength: 1 }), { numRuns: count, seed })) {
    const desk = await openDesk()
    try {
      await desk.commit(BEFORE)
      await desk.adopt()
      await desk.run('run-then')
      const files = changes.reduce((made, change) => change(made), BEFORE)
      const proposal = await desk.propose(files)
      const predicted = await desk.predicted(proposal, 'run-then')
      const asked = await desk.ask(proposal, 'run-then')
      await desk.adopt()
      await desk.run('run-now')
      const [then, now] = [await desk.told('run-then'), await desk.told('run-now')]
      const differing = (one: typeof now, other: typeof now): readonly string[] =>
        Object.keys(one).filter(place => JSON.stringify(one[place]) !== JSON.stringify(other[place]))
      const after = await desk.ask(proposal, 'run-now')
      const missed = differing(predicted, now)
      const unanswered = asked.changed > 0 && asked.causes.length === 0
      if (missed.length > 0 || unanswered || asked.changed !== differing(then, now).length || after.unchanged !== after.prompts)
        wrong.push({ files, missed, asked, after })
    } finally {
      await desk.close()
    }
  }
  return wrong
}
