// onbook publish: packs into the library.
import { workerValidator } from '../../adapters/worker-validator.ts'
import { type PublishedPacks, publishPacks } from '../../engine/publish-packs.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { locate } from '../locate.ts'
import { actorOf, tenantOf } from '../record/open-record.ts'
import { printJson } from '../terminal.ts'
import { hostConfigOf } from './host-config.ts'
import { openProductStore } from './product-store.ts'

export async function publish(input: Input): Promise<number> {
  const { targets, missing } = await locate((input.paths as string[] | undefined) ?? [])
  if (missing.length > 0) throw new Fault('path_missing', { path: missing.join(', ') })
  if (targets.every(({ packs }) => packs.length === 0))
    throw new Fault('packs_missing', { where: targets.map(({ root }) => root).join(', ') })
  const store = openProductStore(input)
  const validator = workerValidator()
  const writer = { tenant: tenantOf(input), libraryId: hostConfigOf(input).libraryId, actor: actorOf() }
  try {
    const results: PublishedPacks[] = []
    for (const { workspace, packs } of targets) results.push(await publishPacks(workspace, packs, validator, store, writer))
    const published = results.flatMap(result => result.published)
    const unchanged = results.flatMap(result => result.unchanged)
    if (input.json) printJson({ published, unchanged })
    else {
      for (const ref of published) process.stdout.write(`${ref}\n`)
      process.stdout.write(`Published ${published.length}, ${unchanged.length} there already.\n`)
    }
    return 0
  } finally {
    await validator.close()
    await store.close()
  }
}
