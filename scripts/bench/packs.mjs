// @ts-check
// npm run bench -- packs: render, check, cold start and test, each beside its peer, in one run.

import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { interleave, number, peers, table, timeProcess } from './measuring/measure.mjs'
import { generateWorkspace } from './packs/generated-packs.mjs'
import { promptfooFolder } from './packs/promptfoo.mjs'
import { renderContenders } from './packs/render-contenders.mjs'

const CLI = join('bin', 'onbook.mjs')

await benchRender()
await benchCheck()
await benchColdStart()
await benchTest()

async function benchRender() {
  const { load } = peers(['mustache@4.2.0', 'dotprompt@1.1.2'])
  const { size, contenders } = await renderContenders(load)
  const taken = await interleave(contenders, 9)
  const ours = taken['onbook, with segments'] ?? Number.NaN
  table(`Warm render: ${number(size / 1024, 1)} kB, 10 variables, a loop of 20`, [
    ['', 'µs', 'onbook is faster by'],
    ...Object.entries(taken).map(([name, ms]) => [name, number(ms * 1000), `${number(ms / ours)}×`]),
  ])
}

async function benchCheck() {
  const folder = generateWorkspace({ packs: 1000, examples: 3 })
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', join('scripts', 'bench', 'packs', 'check-warm.mjs'), folder],
    {
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(stderr)
  const { rounds, rssMb } = JSON.parse(stdout)
  const cold = await interleave({ cli: () => timeProcess(process.execPath, [CLI, 'check', folder]) }, 3)
  table('Check of 1,000 packs of 3 kB, 3 examples each', [
    ['', 'packs/s'],
    ...rounds.map((/** @type {number} */ rate, /** @type {number} */ index) => [
      index === 0 ? 'first round in a process' : `round ${index + 1}`,
      number(rate, 0),
    ]),
    ['whole process, cold', number(1000 / ((cold.cli ?? 0) / 1000), 0)],
    ['resident memory at most, MB', number(rssMb, 0)],
  ])
  rmSync(folder, { recursive: true })
}

async function benchColdStart() {
  const folder = generateWorkspace({ packs: 1, examples: 3 })
  const file = join(folder, 'prompts', 'agent-0', 'v1.0.0.yaml')
  const { bare = 0, check = 0 } = await interleave(
    {
      bare: () => timeProcess(process.execPath, ['-e', '0']),
      check: () => timeProcess(process.execPath, [CLI, 'check', file]),
    },
    25,
  )
  table('Cold check of one file', [
    ['', 'ms'],
    ['bare node', number(bare, 0)],
    ['onbook check', number(check, 0)],
    ['over bare node', number(check - bare, 0)],
  ])
  rmSync(folder, { recursive: true })
}

async function benchTest() {
  const folder = generateWorkspace({ packs: 10, examples: 100 })
  const { folder: peerFolder } = peers(['promptfoo@0.121.20'])
  const peer = promptfooFolder(1000, peerFolder)
  const taken = await interleave(
    {
      onbook: () => timeProcess(process.execPath, [CLI, 'test', folder]),
      promptfoo: () => timeProcess(process.execPath, peer.args, peer.options),
    },
    3,
  )
  const { onbook = 0, promptfoo = 0 } = taken
  table('Test of 1,000 cases, whole process', [
    ['', 's', 'cases/s'],
    ['onbook test, scripted', number(onbook / 1000), number(1_000_000 / onbook, 0)],
    ['promptfoo 0.121.20, echo provider', number(promptfoo / 1000), number(1_000_000 / promptfoo, 0)],
    ['onbook is faster by', `${number(promptfoo / onbook, 1)}×`, ''],
  ])
  for (const path of [folder, peer.folder]) rmSync(path, { recursive: true })
}
