// Runs the commands of a demo story, each in its own process as if typed, and prints their results. Decides nothing.
import { spawn } from 'node:child_process'
import pc from 'picocolors'
import { livingHost } from '../../book/running-host.ts'
import type { RunStep } from '../../core/run/reading/reading.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { bodiesOf } from '../runs/bodies.ts'
import { type ReadRun, readRun } from '../runs/status.ts'
import { type Story as RunStory, storyOf } from '../runs/story.ts'
import type { RunBook } from '../runs/watched-runs.ts'
import { useColor } from '../terminal.ts'
import type { Colors } from './chain-lines.ts'
import type { DemoPlace } from './place.ts'
import { SCRIPT, withRecordedRuns } from './seed.ts'
import { commandText } from './shell-words.ts'

export interface Stage {
  /** The first run of the newsroom. */
  readonly runId: string
  /** Options for commands that call a model themselves; empty where a host does. */
  readonly work: readonly string[]
  readonly color: Colors
  /** Shows a command, runs it, and returns its --json answer. Any exit code outside `exits` ends the story. */
  type<T extends object>(words: readonly string[], exits?: readonly number[]): Promise<T>
  say(...lines: readonly string[]): void
  look<T>(work: (open: RunBook) => Promise<T>): Promise<T>
  read(runId: string): Promise<ReadRun>
  story(runId: string): Promise<RunStory>
  steps(runId: string): Promise<readonly RunStep[]>
  /** The input for functions of commands. */
  readonly input: Input
}

export interface Scene {
  readonly commands: readonly string[]
  readonly lines: readonly string[]
}

export function openStage({ home, record }: DemoPlace, runId: string, isQuiet: boolean): Stage & { readonly scene: Scene } {
  const input: Input = { data: record }
  const color = pc.createColors(!isQuiet && useColor(process.stdout))
  const commands: string[] = []
  const lines: string[] = []
  let isEmpty = true
  const print = (text: string): void => {
    isEmpty = false
    if (!isQuiet) process.stdout.write(`${text}\n`)
  }
  const look: Stage['look'] = work => withRecordedRuns(input, work)
  // A command in the same folder finds a record with the default name.
  const where = record === '.onbook' ? [] : ['--data', record]

  return {
    runId,
    input,
    color,
    work: livingHost(input) === null ? ['--script', SCRIPT] : [],
    async type<T extends object>(words: readonly string[], exits: readonly number[] = [0]): Promise<T> {
      const all = words.includes('--data') ? words : [...words, ...where]
      const shown = commandText(['npx', 'onbook', ...all])
      commands.push(shown)
      print(`\n  ${color.bold(`$ ${shown}`)}`)
      const { code, out, err } = await typed([...all, '--json'], home)
      const answer = readAnswer(out)
      if (answer === null || code === null || !exits.includes(code))
        throw new Fault('demo_failed', { problem: `${shown} ended with ${code}: ${visible(answer?.message ?? err.trim())}` })
      return answer as T
    },
    say(...said) {
      lines.push(...said)
      if (isEmpty) print('')
      for (const line of said) print(line === '' ? '' : `  ${line}`)
    },
    look,
    read: id => look(runs => readRun(runs, id)),
    story: id => look(async runs => storyOf(await readRun(runs, id), bodiesOf(runs))),
    steps: id => look(async runs => (await readRun(runs, id)).reading.steps),
    scene: { commands, lines },
  }
}

interface Typed {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Starts the running program again, with other arguments. */
function typed(words: readonly string[], cwd: string): Promise<Typed> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...words], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', chunk => out.push(chunk))
    child.stderr.on('data', chunk => err.push(chunk))
    child.on('error', reject)
    child.on('close', code => resolve({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }))
  })
}

/** The JSON answer of a command. A fault has a message. */
function readAnswer(out: string): { readonly message?: string } | null {
  try {
    return JSON.parse(out) as { readonly message?: string }
  } catch {
    return null
  }
}
