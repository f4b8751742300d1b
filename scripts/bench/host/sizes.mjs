// @ts-check
// The same questions to a small library and to a large one: what a caller waits for must not grow with what others have stored.
import { median, number, table } from '../measuring/measure.mjs'
import { idOf, makeLibrary } from './library.mjs'
import { load } from './load.mjs'
import { drop, freshFolder, memoryOf, startHost } from './processes.mjs'

const SMALL = 1_000
const CONNECTIONS = 4
const ROUNDS = 5
const MS = 600
/** Different templates asked for; both libraries have them. */
const ASKED = 900

/** @param {(index: number) => import('./load.mjs').Call} callOf */
const many = callOf => Array.from({ length: ASKED }, (_, n) => callOf(n))
/** @param {unknown} body @returns {import('./load.mjs').Call} */
const resolving = body => ({ method: 'POST', path: '/v1/prompts:resolve', body: JSON.stringify(body) })
/** @param {string} path @returns {readonly import('./load.mjs').Call[]} */
const getting = path => [{ method: 'GET', path }]

/** @param {number} count */
const questions = count => {
  // Spread over the whole library, not its beginning.
  const id = (/** @type {number} */ n) => idOf(Math.floor((n * count) / ASKED))
  return {
    'GET pinned': many(n => ({ method: 'GET', path: `/v1/prompts/${id(n)}?version=1.0.0` })),
    'GET newest': many(n => ({ method: 'GET', path: `/v1/prompts/${id(n)}` })),
    ':resolve, one kind': many(n => resolving({ node: { nodeId: 'n', config: { systemPromptRef: `prompt:${id(n)}` } }, kind: 'system' })),
    'list, first page': getting('/v1/prompts'),
    'list, kind=user': getting('/v1/prompts?kind=user'),
    'list, common tag': getting('/v1/prompts?tag=common'),
    'list, rare tag': getting('/v1/prompts?tag=rare'),
    'list, nobody has it': getting('/v1/prompts?source=host'),
  }
}

/** @param {number} large */
export async function benchSizes(large) {
  const folders = { small: freshFolder(), large: freshFolder() }
  const started = performance.now()
  const tenants = Array(CONNECTIONS).fill('default')
  const small = await startHost(folders.small, await makeLibrary(folders.small, SMALL, tenants))
  const big = await startHost(folders.large, await makeLibrary(folders.large, large, tenants))
  console.log(`\n${number(large, 0)} templates written in ${number((performance.now() - started) / 1000, 0)} s`)
  const rows = [['', `${number(SMALL, 0)}, req/s`, `${number(large, 0)}`, 'times as long', 'p99 ms', 'p99 ms']]
  const [few, lots] = [questions(SMALL), questions(large)]
  for (const name of /** @type {(keyof typeof few)[]} */ (Object.keys(few))) {
    /** @type {Record<'small' | 'big', import('./load.mjs').Taken[]>} */
    const taken = { small: [], big: [] }
    for (let round = 0; round <= ROUNDS; round++) {
      const both = {
        small: await load(small, few[name], { connections: CONNECTIONS, ms: MS }),
        big: await load(big, lots[name], { connections: CONNECTIONS, ms: MS }),
      }
      if (round > 0) for (const who of /** @type {const} */ (['small', 'big'])) taken[who].push(both[who])
    }
    const of = (/** @type {'small' | 'big'} */ who, /** @type {'rate' | 'p99'} */ what) => median(taken[who].map(one => one[what]))
    rows.push([
      name,
      ...[number(of('small', 'rate'), 0), number(of('big', 'rate'), 0), number(of('small', 'rate') / of('big', 'rate'))],
      ...[number(of('small', 'p99')), number(of('big', 'p99'))],
    ])
  }
  table(`A library of ${number(large, 0)} beside one of ${number(SMALL, 0)}, ${CONNECTIONS} connections`, rows)
  console.log(`  resident memory at most: ${number(memoryOf(small.pid).most, 0)} MB and ${number(memoryOf(big.pid).most, 0)} MB`)
  await Promise.all([small.stop(), big.stop()])
  drop(folders.small)
  drop(folders.large)
}
