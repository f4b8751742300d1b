// The command line of another release: this one, with other words in everything that ships. For tests of records that outlive a release.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

type Change = readonly [there: RegExp, instead: string]

const VERSIONS: readonly Change[] = [
  [/(?<=templateId:\s*[`'"]onbook\.system[`'"],\s*version:\s*[`'"])[\d.]+/g, '9.0.0'],
  [/(?<=\(\s*[`'"]planning[`'"],\s*[`'"])[\d.]+(?=[`'"],\s*PLANNING)/g, '9.0.0'],
  [/(?<=\(\s*[`'"]implementation[`'"],\s*[`'"])[\d.]+(?=[`'"],\s*IMPLEMENTATION)/g, '9.0.0'],
]
const WORDS: readonly Change[] = [
  [/You are one node in a graph of agents/g, 'You are a node among others in a graph of agents'],
  [/Read what you need\./g, 'Read whatever you need.'],
  [/Make the smallest change that meets the definition of done\./g, 'Make no change that the definition of done does not need.'],
  [/Ask a person to change the run/g, 'Ask somebody to change the run'],
  [/You are an investigator\./g, 'You find out what is so.'],
]

/** Where it starts. @param renumbered whether it says so that its words are others */
export function otherRelease({ renumbered = true } = {}): string {
  const changes = renumbered ? [...VERSIONS, ...WORDS] : WORDS
  const folder = mkdtempSync(join(tmpdir(), 'onbook-other-release-'))
  const bundle = join(folder, 'dist', 'bundle')
  cpSync(resolve('bin'), join(folder, 'bin'), { recursive: true })
  cpSync(resolve('package.json'), join(folder, 'package.json'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  mkdirSync(bundle, { recursive: true })
  const made = changes.map(() => 0)
  for (const name of readdirSync(resolve('dist', 'bundle'))) {
    const text = changes.reduce(
      (now, [there, instead], index) => {
        made[index]! += now.match(there)?.length ?? 0
        return now.replace(there, instead)
      },
      readFileSync(resolve('dist', 'bundle', name), 'utf8'),
    )
    writeFileSync(join(bundle, name), text)
  }
  const missed = changes.filter((_, index) => made[index] !== 1).map(([there]) => there.source)
  if (missed.length > 0) throw new Error(`What ships is worded otherwise by now, or twice: ${missed.join(', ')}`)
  return join(folder, 'bin', 'onbook.mjs')
}
