// Verifies every object: its bytes against its digest, and the references of nodes against those that the store has noted.
import { AUDIT } from '../../core/record/erasure.ts'
import { erasedObjects } from '../../core/record/projections.ts'
import { linksIn } from '../../core/record/references.ts'
import type { BreakCode } from '../../core/record/walk.ts'
import type { Inspection, RawNode, RawObject, Referrer } from '../../ports.ts'
import { type Break, type Findings, survivingDamage, type VerifyOptions } from './verify.ts'
import { wrongReferences } from './wrong-references.ts'

export async function verifyObjects(inspection: Inspection, { progress }: VerifyOptions, findings: Findings): Promise<void> {
  await survivingDamage({ tenant: '', stream: null }, findings, async () => {
    for await (const { count, loose, wrong, missized, nodes } of inspection.objects()) {
      findings.objects += count
      findings.unreferenced += loose
      for (const { tenant, digest } of missized) findings.report({ tenant, stream: null, table: 'objects', digest, code: 'row_differs' })
      const broken = new Set<string>()
      for (const object of wrong) {
        const code = await flawOf(inspection, object)
        if (code === null) findings.erased++
        else {
          const { tenant, digest } = object
          broken.add(digest)
          findings.report({ tenant, ...placeOf(await inspection.referrer(tenant, digest)), digest, code })
        }
      }
      // The references of a broken node are unknown.
      for (const node of nodes) if (!broken.has(node.digest)) await verifyNode(inspection, node, findings)
      progress?.(findings)
    }
  })
}

/** Null for an object that was erased on purpose. */
async function flawOf(inspection: Inspection, { tenant, digest, found }: RawObject): Promise<BreakCode | null> {
  if (found !== null) return 'object_corrupt'
  return (await inspection.row(erasedObjects.table, tenant, AUDIT, [digest])) === null ? 'object_missing' : null
}

async function verifyNode(inspection: Inspection, node: RawNode, findings: Findings): Promise<void> {
  const { tenant, digest: name, bytes, references } = node
  const wrong = wrongReferences(linksIn(bytes) ?? [], references)
  if (wrong.length === 0) return
  const { event } = await inspection.referrer(tenant, name)
  for (const { digest, code } of wrong) findings.report({ tenant, ...placeOf({ event, node: name }), digest, code })
}

const placeOf = ({ event, node }: Referrer): Pick<Break, 'stream' | 'sequence' | 'node'> => ({
  ...(event === null ? { stream: null } : { stream: event.stream, sequence: event.seq }),
  ...(node === null ? {} : { node }),
})
