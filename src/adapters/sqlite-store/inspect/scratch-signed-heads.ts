// Stores the signed heads of a sealer in a scratch database: a host needs them for as long as it runs, and there may be millions.
import type { SignedHead, SignedHeads } from '../../../ports.ts'
import { openScratch } from '../database.ts'

export function scratchSignedHeads(): SignedHeads & { close(): void } {
  const database = openScratch()
  database.exec('CREATE TABLE heads (tenant TEXT, stream TEXT, seq INTEGER, digest TEXT, PRIMARY KEY (tenant, stream)) WITHOUT ROWID')
  const get = database.prepare('SELECT seq, digest FROM heads WHERE tenant = ? AND stream = ?')
  const set = database.prepare('INSERT OR REPLACE INTO heads (tenant, stream, seq, digest) VALUES (?, ?, ?, ?)')
  return {
    get: (tenant, stream) => (get.get(tenant, stream) as SignedHead | undefined) ?? null,
    set: (tenant, stream, { seq, digest }) => void set.run(tenant, stream, seq, digest),
    close: () => database.close(),
  }
}
