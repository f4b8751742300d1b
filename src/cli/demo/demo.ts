// Folder: The demo and its stories.
// onbook demo: a newsroom of three agents with a finished run, a host to query, and stories to try. No network, no key.

import { livingHost } from '../../book/running-host.ts'
import type { Input } from '../commands.ts'
import { loginLink } from '../host/login-link.ts'
import { serveUntilStopped } from '../host/serve.ts'
import { bodiesOf } from '../runs/bodies.ts'
import { readRun } from '../runs/status.ts'
import { storyOf } from '../runs/story.ts'
import { choiceOption, printJson, useColor } from '../terminal.ts'
import { type FirstPage, firstPage } from './first-page.ts'
import { type DemoPlace, makePlace, placeOf } from './place.ts'
import { SCRIPT, seed, withRecordedRuns } from './seed.ts'
import { wrapped } from './shell-words.ts'
import { openStage } from './stage.ts'
import { STORIES } from './stories.ts'

export async function demo(input: Input): Promise<number> {
  const names = STORIES.map(({ name }) => name)
  const story = input.story === undefined ? null : choiceOption(input.story, 'the story', names)
  const place = placeOf(input)
  await makePlace(place)
  // Commands run as if typed in this folder.
  process.chdir(place.home)
  const at: Input = { data: place.record }
  const { runId, before } = await seed(at)
  if (story !== null) return tellStory(story, place, runId, input.json === true)
  const page = { ...(await readRunPage(at, runId)), folder: place.shown, before, stories: STORIES, again: place.again }
  const show = (host: Host | null): number => {
    // One line, as `host serve` prints it: a script that starts the demo waits for it.
    if (input.json) process.stdout.write(`${JSON.stringify({ folder: place.home, runId, status: page.story.status, ...host })}\n`)
    else process.stdout.write(firstPage({ ...page, host }, useColor(process.stdout)))
    return 0
  }
  if (input.serve === false) return show(null)
  const living = livingHost(at)
  if (living !== null) return show({ ...living, loginUrl: (await loginLink(at)).loginUrl })
  return serveUntilStopped({ ...at, port: input.port ?? '0', script: SCRIPT }, ({ url, loginUrl }) => {
    show({ url, pid: process.pid, loginUrl })
  })
}

interface Host {
  readonly url: string
  readonly pid: number
  readonly loginUrl: string
}

const readRunPage = (at: Input, runId: string): Promise<Pick<FirstPage, 'story' | 'bytes'>> =>
  withRecordedRuns(at, async runs => {
    const bodies = bodiesOf(runs)
    const story = await storyOf(await readRun(runs, runId), bodies)
    const bytes = new Map<string, number>()
    for (const { promptHash } of story.sent) bytes.set(promptHash, (await bodies.bytes(promptHash))?.length ?? 0)
    return { story, bytes }
  })

async function tellStory(name: string, place: DemoPlace, runId: string, json: boolean): Promise<number> {
  const { summary, tell } = STORIES.find(one => one.name === name)!
  const { scene, ...stage } = openStage(place, runId, json)
  const { bold, cyan, dim } = stage.color
  if (!json) process.stdout.write(`${bold(name)}  ${summary}\n${dim(`typed in ${place.shown}, and you can type it there too`)}\n`)
  const point = await tell(stage)
  if (json) printJson({ story: name, ...scene, point })
  else process.stdout.write(`\n${cyan('→')} ${bold(wrapped(point.split(' '), 76, '\n  '))}\n`)
  return 0
}
