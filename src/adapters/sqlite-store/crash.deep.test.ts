import { it } from 'vitest'
import { crashCase } from '../../testing/contract/processes.ts'
import { sqlitePlace } from '../../testing/stores/sqlite-place.ts'

const { name, run } = crashCase(sqlitePlace, 200)
it(name, run, 20 * 60_000)
