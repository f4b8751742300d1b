// Swaps a file or a folder for a link and back, again and again, until its input ends; a dot for every twenty times. For tests.
import { renameSync, rmSync, symlinkSync } from 'node:fs'

const [folder, target, mostMs] = process.argv.slice(2)
const aside = `${folder}-aside`
let over = false
process.stdin.on('end', () => {
  over = true
})
process.stdin.resume()

/** For a time that nobody can foresee, so that every moment of a call is met. */
function linger() {
  const until = performance.now() + Math.random() * Number(mostMs)
  while (performance.now() < until);
}

/** Whoever works in the folder may have made it anew meanwhile. */
function inItsPlace(put) {
  for (;;) {
    try {
      rmSync(folder, { recursive: true, force: true })
      return put()
    } catch (error) {
      if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error
    }
  }
}

function swap() {
  for (let turn = 0; turn < 20; turn += 1) {
    renameSync(folder, aside)
    inItsPlace(() => symlinkSync(target, folder))
    linger()
    inItsPlace(() => renameSync(aside, folder))
    linger()
  }
  process.stdout.write('.')
  if (!over) setImmediate(swap)
}
swap()
