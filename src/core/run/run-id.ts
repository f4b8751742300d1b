// Makes a unique id for a run: ids of later runs sort later. The caller supplies the clock and the random bytes.

/** Crockford's: digits and letters that are not taken for one another, in the order of the alphabet. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_LETTERS = 9
const CHANCE_LETTERS = 15

/** @param chance random numbers from 0 to 255, at least fifteen */
export function runIdOf(now: number, chance: Iterable<number>): string {
  let time = ''
  for (let left = now; time.length < TIME_LETTERS; left = Math.floor(left / LETTERS.length)) time = LETTERS[left % LETTERS.length]! + time
  const rest = [...chance].slice(0, CHANCE_LETTERS).map(number => LETTERS[number % LETTERS.length])
  return `run_${time}${rest.join('')}`
}
