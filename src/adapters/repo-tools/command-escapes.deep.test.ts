// Commands that try to see, keep or leave behind more than they may: through the tool alone, and in a run.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAlive, pidsIn } from '../../testing/models/fake-cli-agent.ts'
import { ASKING, CALLING, FLOODING, HOST_ENVIRONMENT, LEAVING, PRYING } from '../../testing/repos/escape-commands.ts'
import { type HostileRepo, hostileRepo, runTool } from '../../testing/repos/hostile-repo.ts'
import { callsInRun } from '../../testing/stories/calls-in-run.ts'
import { repoTools } from './repo-tools.ts'

let repo: HostileRepo
beforeEach(() => {
  repo = hostileRepo()
  for (const [name, value] of Object.entries(HOST_ENVIRONMENT)) vi.stubEnv(name, value)
})
afterEach(() => vi.unstubAllEnvs())

interface Answer {
  readonly ok: boolean
  readonly output: string
  readonly error?: string
  readonly cut?: number
}
type Ran = readonly (readonly [cmd: string, answer: Answer])[]

const LIMITS = { commandMs: 5_000, outputCharacters: 20_000 }

/** Each alone, as an application would call it. */
async function alone(lines: readonly string[]): Promise<Ran> {
  const tools = repoTools(repo.root, { limits: LIMITS })
  const ran: (readonly [string, Answer])[] = []
  for (const cmd of lines) ran.push([cmd, (await runTool(tools, 'command', { cmd })) as unknown as Answer])
  return ran
}

/** All in one reply of a model. */
async function inRun(lines: readonly string[]): Promise<Ran> {
  const calls = lines.map(cmd => ['command', { cmd }] as const)
  const { told } = await callsInRun({ root: repo.root, options: { limits: LIMITS } }, calls)
  expect(told).toHaveLength(lines.length)
  return told.map(({ output }, index) => [lines[index]!, output as unknown as Answer])
}

describe.each([
  ['alone', alone],
  ['in a run', inRun],
] as const)('%s', (_, ran) => {
  it(`none of ${PRYING.length} commands sees anything of the host's environment`, async () => {
    for (const [cmd, { output }] of await ran(PRYING)) expect(output, cmd).not.toContain('host-value')
  })

  it(`none of ${ASKING.length} commands waits for anybody, or has a terminal`, async () => {
    for (const [cmd, { output, error }] of await ran(ASKING)) {
      expect(error, cmd).toBeUndefined()
      expect(output, cmd).not.toMatch(/^terminal/m)
    }
  })

  it(`of ${CALLING.length} tool calls that are printed none is run, and each is an error`, async () => {
    for (const [cmd, answer] of await ran(CALLING))
      expect(answer, cmd).toMatchObject({ ok: false, error: expect.stringContaining('tool call') })
    expect(readFileSync(join(repo.root, 'src/a.txt'), 'utf8')).toBe('inside')
  })
})

it.each(LEAVING)('leaves nobody at work: %s', async cmd => {
  const [[, { output }]] = (await alone([cmd])) as [readonly [string, Answer]]
  expect(pidsIn(output).length, output).toBeGreaterThan(0)
  expect(pidsIn(output).filter(isAlive)).toEqual([])
})

it.each(FLOODING)('is told no more than it may be: %s', async cmd => {
  const [[, { output, cut }]] = (await alone([cmd])) as [readonly [string, Answer]]
  expect(output.length).toBeLessThan(LIMITS.outputCharacters + 100)
  expect(cut).toBeGreaterThan(0)
})
