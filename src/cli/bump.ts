// onbook prompt bump: copies a pack to its next version.
import { existsSync } from 'node:fs'
import { bumpPack } from '../engine/packs/versions.ts'
import type { Input } from './commands.ts'
import { locate } from './locate.ts'
import { choiceOption, printJson } from './terminal.ts'

export async function bump(input: Input): Promise<number> {
  const step = choiceOption(input.step, 'The step', ['patch', 'minor', 'major'])
  const ref = String(input.pack)
  const { targets } = await locate(existsSync(ref) ? [ref] : [])
  const [target] = targets
  const [only, ...more] = target!.packs
  const bumped = await bumpPack(target!.workspace, existsSync(ref) && only !== undefined && more.length === 0 ? only : ref, step, () =>
    new Date().toISOString(),
  )
  const result = { ...bumped, path: target!.shown(bumped.path) }
  if (input.json) printJson(result)
  else process.stdout.write(`${result.from} → ${result.to}: wrote ${result.path}. Edit it, then: onbook check ${result.path}\n`)
  return 0
}
