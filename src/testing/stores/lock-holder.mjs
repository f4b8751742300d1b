// @ts-check
// Holds the write lock of a SQLite file for a while, as another process that writes in one long transaction.
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../../dist/adapters/sqlite-store/database.js'

const [path = '', ms = ''] = process.argv.slice(2)
const database = openDatabase(path)
database.exec('BEGIN IMMEDIATE')
console.log('held')
await sleep(Number(ms))
database.exec('ROLLBACK')
database.close()
