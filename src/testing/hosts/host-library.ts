// The host's own library, filled as its operator would: host defaults are looked up nowhere else.
import type { LibraryTemplate } from '../../core/library/template.ts'
import { publishTemplates } from '../../engine/library/publish.ts'
import { HOST_TENANT } from '../../engine/library/rows.ts'
import type { Store } from '../../ports.ts'

export async function publishToHost(store: Store, ...templates: readonly LibraryTemplate[]): Promise<void> {
  await publishTemplates(store, { tenant: HOST_TENANT, libraryId: 'onbook', actor: 'operator' }, templates, {
    mode: 'create',
    origin: 'user',
  })
}
