// @ts-check
// Contenders in turn, round after round, and what one took beside another in the same round: a machine that is busy slows down both.
import { median } from '../measuring/measure.mjs'

/**
 * @template {string} Name
 * @param {Readonly<Record<Name, () => Promise<number>>>} contenders @param {number} count
 * @returns {Promise<Readonly<Record<Name, readonly number[]>>>} by contender, without the first round, which warms up
 */
export async function rounds(contenders, count) {
  const names = /** @type {Name[]} */ (Object.keys(contenders))
  /** @type {Record<string, number[]>} */
  const taken = Object.fromEntries(names.map(name => [name, []]))
  for (let round = 0; round <= count; round++)
    for (const name of names) {
      const value = await contenders[name]()
      if (round > 0) taken[name]?.push(value)
    }
  return /** @type {Record<Name, number[]>} */ (taken)
}

/** @param {readonly number[]} above @param {readonly number[]} below */
export const medianRatio = (above, below) => median(above.map((value, round) => value / (below[round] ?? Number.NaN)))
