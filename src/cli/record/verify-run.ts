// Verifies one run of the record: exports it to a temporary file and verifies that, to reuse its checks.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportedStore } from '../../adapters/exported-run/exported-store.ts'
import { AUDIT, OBJECT_ERASED } from '../../core/record/erasure.ts'
import { runStream } from '../../core/run/events.ts'
import { exportRun } from '../../engine/run-files/export-run.ts'
import type { Break, Verified } from '../../engine/verify/verify.ts'
import { Fault } from '../../errors.ts'
import type { CheckSignature, Store } from '../../ports.ts'
import { writeNew } from './output.ts'
import { verifyRunFile } from './verify-run-file.ts'

/** Null when no tenant has such a run. */
export async function verifyRun(store: Store, runId: string, check: CheckSignature | null, isStrict: boolean): Promise<Verified | null> {
  for (const tenant of await store.tenants())
    if ((await store.head(tenant, runStream(runId))).seq >= 0) return verifyOf(store, tenant, runId, check, isStrict)
  return null
}

async function verifyOf(store: Store, tenant: string, runId: string, check: CheckSignature | null, isStrict: boolean): Promise<Verified> {
  const folder = await mkdtemp(join(tmpdir(), 'onbook-'))
  try {
    const path = join(folder, 'run.jsonl')
    await writeNew(path, exportRun(store, { tenant, runId, withPolicy: true }))
    const verified = await verifyRunFile(path, check, isStrict)
    const lost = verified.intact ? await lostObjects(store, tenant, path) : []
    return { ...verified, intact: verified.intact && lost.length === 0, breaks: [...verified.breaks, ...lost] }
  } catch (error) {
    const found = breakOf(tenant, error)
    if (found === null) throw error
    return { intact: false, unsealed: 0, streams: 0, events: 0, objects: 0, erased: 0, breaks: [found], moreBreaks: 0 }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A run file reports every absent object as erased. Only the record knows which objects were really erased; the others are lost. */
async function lostObjects(store: Store, tenant: string, path: string): Promise<readonly Break[]> {
  const { store: file, erased } = await exportedStore(path)
  await file.close()
  const gone = new Set<string>(erased)
  for await (const { event } of store.read(tenant, AUDIT, -1))
    if (event.type === OBJECT_ERASED) gone.delete((event.payload as unknown as { readonly erasedHash: string }).erasedHash)
  return [...gone].map(digest => ({ tenant, stream: null, digest, code: 'object_missing' }))
}

/** The break for content that cannot be read; null for any other error. */
function breakOf(tenant: string, error: unknown): Break | null {
  if (!(error instanceof Fault)) return null
  if (error.code === 'store_corrupt') return { tenant, stream: null, code: 'store_corrupt' }
  if (error.code === 'object_corrupt')
    return { tenant, stream: null, digest: (error as Fault<'object_corrupt'>).details.digest, code: 'object_corrupt' }
  if (error.code !== 'event_corrupt') return null
  const { stream, seq } = (error as Fault<'event_corrupt'>).details
  return { tenant, stream, sequence: seq, code: 'event_unreadable' }
}
