// The order of turns in a fair queue, and refusals.
import { describe, expect, it } from 'vitest'
import { fairQueue } from './fair-queue.ts'

/** Work that ends when the test says so. */
function manualWork() {
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name)
      ends.set(name, error => (error === undefined ? resolve(name) : reject(error)))
    })
  const end = async (name: string, error?: Error) => {
    ends.get(name)!(error)
    await new Promise(setImmediate)
  }
  return { begun, work, end }
}

describe('a fair queue', () => {
  it('gives the next turn to another tenant, however much one has waiting', async () => {
    const { begun, work, end } = manualWork()
    const queue = fairQueue({ lanes: 1 })
    for (const name of ['a1', 'a2', 'a3']) void queue.run('a', work(name))
    void queue.run('b', work('b1'))
    for (const name of ['a1', 'a2', 'b1']) await end(name)
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  it('keeps lanes free that one tenant may not use alone', async () => {
    const { begun, work } = manualWork()
    const queue = fairQueue({ lanes: 2, lanesPerTenant: 1 })
    for (const name of ['a1', 'a2']) void queue.run('a', work(name))
    void queue.run('b', work('b1'))
    expect(begun).toEqual(['a1', 'b1'])
  })

  it('goes on after work that failed, and answers each caller with its own outcome', async () => {
    const { begun, work, end } = manualWork()
    const queue = fairQueue({ lanes: 1 })
    const outcomes = Promise.allSettled([queue.run('a', work('a1')), queue.run('a', work('a2'))])
    await end('a1', new Error('broken'))
    await end('a2')
    expect(begun).toEqual(['a1', 'a2'])
    expect(await outcomes).toMatchObject([{ reason: { message: 'broken' } }, { value: 'a2' }])
  })

  it('refuses a tenant that has too many waiting, and nobody else', async () => {
    const { begun, work } = manualWork()
    const queue = fairQueue({ lanes: 1, waitingPerTenant: 1, refusal: waiting => new Error(`${waiting} wait`) })
    for (const name of ['a1', 'a2']) void queue.run('a', work(name))
    expect(() => queue.admit('a')).toThrow('1 wait')
    expect(() => queue.admit('b')).not.toThrow()
    void queue.run('b', work('b1'))
    expect(begun).toEqual(['a1'])
  })
})
