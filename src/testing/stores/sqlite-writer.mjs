// @ts-check
// Writes to a SQLite store until it is killed. From dist: it runs without a test runner.
import { sqliteStore } from '../../../dist/adapters/sqlite-store/sqlite-store.js'
import { CONTRACT_PROJECTIONS, writeUntilKilled } from '../../../dist/testing/index.js'

const [path = '', name = ''] = process.argv.slice(2)
await writeUntilKilled(
  sqliteStore(path, () => new Date().toISOString(), CONTRACT_PROJECTIONS),
  name,
)
