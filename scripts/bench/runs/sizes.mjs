// @ts-check
// What a run leaves in the record: events, objects that no other run has, and their bytes.
import { number, table } from '../measuring/measure.mjs'
import { inFolder } from '../record/story.mjs'
import { openStore } from '../sessions/story.mjs'
import { sum, workflowOf, writtenBy } from './story.mjs'

export async function benchRunSizes() {
  const rows = [['', 'commits', 'events', 'kB', 'new objects', 'kB', 'kB a node']]
  for (const nodes of [1, 3, 20])
    await inFolder(async folder => {
      const store = openStore(folder)
      const written = await writtenBy(store, workflowOf(nodes))
      await store.close()
      const [events, objects] = [written.flatMap(one => one.events), written.flatMap(one => one.objects)]
      const kilobytes = [sum(events), sum(objects)].map(bytes => bytes / 1024)
      rows.push([
        nodes === 1 ? '1 node' : `${nodes} nodes`,
        ...[written.length, events.length].map(String),
        number(kilobytes[0] ?? 0, 1),
        String(objects.length),
        number(kilobytes[1] ?? 0, 1),
        number(sum(kilobytes) / nodes, 1),
      ])
    })
  table('What a run leaves in the record, after another run of the same workflow', rows)
}
