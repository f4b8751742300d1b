// The parts that an adapter gives to the contract: a place that can be opened again, and, if processes exist, one that writes to it.
import type { Projection } from '../../core/record/projection.ts'
import type { Store } from '../../ports.ts'

/** Somewhere new and empty. */
export interface StorePlace {
  /** Any number of times, also while it is open. */
  open(projections: readonly Projection[]): Promise<Store>
  /**
   * Program and arguments of a process that opens this place with `CONTRACT_PROJECTIONS` and calls `writeUntilKilled` with the name it
   * is given as its last argument. Null where a store lives and dies with its process.
   */
  readonly writer: readonly [string, ...string[]] | null
}

export interface ContractCase {
  readonly name: string
  readonly run: () => Promise<void>
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Two tables: every thing by its number, and the state of each stream. */
export const CONTRACT_PROJECTIONS: readonly Projection[] = [
  {
    table: 'things',
    columns: { n: 'integer', body: 'text', at: 'text' },
    key: ['n'],
    indexes: [['body']],
    from: {
      'thing.happened': [{ put: { n: 'payload.n', body: 'payload.body', at: 'at' } }],
      'thing.undone': [{ drop: { n: 'payload.n' } }],
    },
  },
  {
    table: 'latest',
    columns: { actor: 'text', n: 'integer', state: 'text' },
    key: ['actor'],
    from: {
      'thing.happened': [{ put: { actor: 'actor', n: 'payload.n', state: { always: 'happened' } } }],
      'thing.undone': [{ put: { actor: 'actor', state: { always: 'undone' } } }],
      'thing.listed': [{ each: 'payload.all', put: { actor: 'item.who', n: 'item.n' } }],
    },
  },
]
