// A run records each change that a node makes to a repo exactly once, with the tool or model that made it.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repoWatch, type WatchLimits } from '../../../adapters/repo-watch/repo-watch.ts'
import { scrubber } from '../../../adapters/scrub/scrub.ts'
import { scrubKnown } from '../../../adapters/scrub/scrub-known.ts'
import { sqliteStore } from '../../../adapters/sqlite-store/sqlite-store.ts'
import type { RunEvent } from '../../../core/run/events.ts'
import { Fault } from '../../../errors.ts'
import type { Binding, Store } from '../../../ports.ts'
import { type Asked, gate, type Said } from '../../../testing/models/talking-chat.ts'
import { newRepo, type WatchedRepo } from '../../../testing/repos/watched-repo.ts'
import { clock, freshPath } from '../../../testing/stores/sqlite-place.ts'
import { type RunHouse, runHouse, TENANT } from '../../../testing/stories/run-house.ts'
import { PRODUCT_PROJECTIONS } from '../../record/projections.ts'
import type { RunParts } from '../work.ts'

type Changed = Extract<RunEvent, { readonly type: 'files.changed' }>

let repo: WatchedRepo
const houses: RunHouse[] = []
beforeEach(() => {
  repo = newRepo()
  writeFileSync(join(repo.root, 'story'), 'Once.\n')
})
afterEach(async () => {
  for (const house of houses.splice(0)) await house.close()
  repo.remove()
})

const at = (path: string): string => join(repo.root, path)
const write = (path: string, text: string): Said => ({ tools: [{ toolName: 'write', arguments: { path, text } }] })
const fail = (path: string, text: string): Said => ({ tools: [{ toolName: 'write', arguments: { path, text, fail: true } }] })

/** Writes, and then works, fails, or does not come back. */
const writing = (more: Partial<Binding> = {}): Binding => ({
  descriptor: { name: 'write', description: 'Writes.', inputSchema: { type: 'object' } },
  async run({ arguments: given }) {
    const { path, text, fail: fails } = given as { readonly path: string; readonly text: string; readonly fail?: boolean }
    appendFileSync(at(path), text)
    if (fails === true) throw new Fault('validation_error', { problem: 'It was asked to fail' })
    return { done: true }
  },
  ...more,
})

interface Furnishing extends Partial<RunParts> {
  readonly tool?: Binding
  readonly limits?: Partial<WatchLimits>
  readonly store?: Store
}

function house(say: (asked: Asked) => Said | Promise<Said>, { tool = writing(), limits, store, ...more }: Furnishing = {}): RunHouse {
  const watch = repoWatch(repo.root, repo.folder, limits === undefined ? {} : { limits })
  const made = runHouse(
    say,
    {
      bindings: new Map([['write', tool]]),
      grants: [{ tools: ['write'] }],
      hostCatalog: [tool.descriptor],
      watch: () => watch,
      ...more,
    },
    store,
  )
  houses.push(made)
  return made
}

const ONE = { id: 'one', objective: 'Write.', nodes: [{ id: 'a' }] }
const changesIn = async (made: RunHouse): Promise<readonly Changed[]> =>
  (await made.events()).filter((event): event is Changed => event.type === 'files.changed')

describe('a change is told', () => {
  it('with the call of the tool that made it, by node and step, and its diff is kept', async () => {
    const steps: Said[] = [write('story', 'Twice.\n'), write('new', 'New.\n'), 'Done.']
    const told = house(() => steps.shift()!)
    await told.go(ONE)
    const changes = await changesIn(told)
    const calls = (await told.events()).flatMap(event => (event.type === 'call.settled' ? [event.call] : []))
    expect(changes).toMatchObject([
      {
        nodeId: 'a',
        step: 1,
        by: 'tool',
        call: calls[0],
        files: [{ path: 'story', change: 'changed', added: 1, removed: 0 }],
        more: 0,
        cut: 0,
      },
      { nodeId: 'a', step: 2, by: 'tool', call: calls[1], files: [{ path: 'new', change: 'added', added: 1, removed: 0 }], shared: false },
    ])
    expect(await told.text(changes[0]!.diff)).toContain('@@ -1 +1,2 @@\n Once.\n+Twice.\n')
    const story = await told.story()
    expect(story.filter(line => /^(?:call.settled|files)/.test(line))).toEqual([
      'call.settled a',
      'files.changed a',
      'call.settled a',
      'files.changed a',
    ])
  })

  it('also when the tool failed', async () => {
    const steps: Said[] = [fail('story', 'Half.\n'), 'Sorry.']
    const made = house(() => steps.shift()!)
    await made.go(ONE)
    expect(await changesIn(made)).toMatchObject([{ by: 'tool', files: [{ path: 'story', added: 1 }] }])
  })

  it('with the step, when the agent behind the model made it by itself', async () => {
    const made = house(() => {
      writeFileSync(at('story'), 'Never.\n')
      return 'Done.'
    })
    await made.go(ONE)
    expect(await changesIn(made)).toMatchObject([{ nodeId: 'a', step: 1, by: 'model', call: null, files: [{ added: 1, removed: 1 }] }])
    expect((await made.story()).slice(-4)).toEqual(['step.settled a', 'files.changed a', 'node.completed a', 'run.completed'])
  })

  it('once, however often the model was asked', async () => {
    const made = house(({ time }) => {
      appendFileSync(at('story'), `Attempt ${time}.\n`)
      return time < 3 ? { fail: 'provider_retryable' } : 'Done.'
    })
    await made.go(ONE)
    expect(await changesIn(made)).toMatchObject([{ by: 'model', files: [{ path: 'story', added: 3 }] }])
  })

  it('not at all when there is none, and not of a model that cannot act', async () => {
    const steps: Said[] = [{ tools: [{ toolName: 'write', arguments: { path: 'story', text: '' } }] }, 'Done.']
    const made = house(() => steps.shift()!)
    await made.go(ONE)
    expect(await changesIn(made)).toEqual([])

    const answering = house(() => {
      appendFileSync(at('story'), 'Somebody else.\n')
      return 'Done.'
    })
    await made.close()
    const idle = house(() => 'x', { models: { call: answering.chat.call, acts: () => false } })
    await idle.go(ONE)
    expect(await changesIn(idle)).toEqual([])
  })

  it('as nobody’s when two nodes were at work', async () => {
    const [both, go] = [gate(), gate()]
    let open = 0
    const made = house(async ({ node }) => {
      open += 1
      if (open === 2) both.open()
      await both.passed
      appendFileSync(at(node), 'x\n')
      if (node === 'a') await go.passed
      else setTimeout(go.open, 50)
      return 'Done.'
    })
    await made.go({ id: 'two', objective: 'Write.', nodes: [{ id: 'a' }, { id: 'b' }] })
    const changes = await changesIn(made)
    expect(changes.map(({ shared }) => shared)).toEqual([true, true])
    expect(changes.find(({ nodeId }) => nodeId === 'a')?.files.map(({ path }) => path)).toEqual(['a', 'b'])
  })

  it('without the secrets that the host knows, whatever the bytes around them', async () => {
    const scrub: RunParts['scrub'] = async (_, value) => scrubber(new Map([['hunter2!', '[REDACTED]']])).json(value)
    const steps = [
      () => writeFileSync(at('hunter2!'), 'hunter2! é\n'),
      () => writeFileSync(at('hunter2!'), Buffer.from('hunter2! \xe9\n', 'latin1')),
    ]
    const made = house(({ time }) => (time === 3 ? 'Done.' : write('x', 'x\n')), {
      scrub,
      tool: writing({
        run: async () => {
          steps.shift()!()
          return null
        },
      }),
    })
    await made.go(ONE)
    const changes = await changesIn(made)
    expect(changes.map(({ files }) => files[0]!.path)).toEqual(['[REDACTED]', '[REDACTED]'])
    const [text, bytes] = await Promise.all(changes.map(async ({ diff }) => Buffer.from(await made.store.object(TENANT, diff))))
    expect(text!.toString()).toContain('+[REDACTED] é\n')
    expect(bytes!.includes(Buffer.from('+[REDACTED] \xe9\n', 'latin1'))).toBe(true)
    expect([text, bytes].some(one => one!.includes('hunter2'))).toBe(false)
  })
})

it('no line of a secret is in a diff, nor one that is not ASCII, whatever the bytes around them', async () => {
  const pem = 'first line of it\nsecond line of it\n'
  const scrub = scrubKnown({ environment: { ONBOOK_SECRET_PEM: pem, ONBOOK_SECRET_WORD: 'schlüsselwort' } })
  const texts = [Buffer.from(`${pem}schlüsselwort é\n`), Buffer.from(`${pem}schlüsselwort \n`), Buffer.from([0xe9, 0x0a])]
  const steps = [() => writeFileSync(at('story'), texts[0]!), () => writeFileSync(at('new'), Buffer.concat(texts.slice(1)))]
  const tool = writing({
    run: async () => {
      steps.shift()!()
      return null
    },
  })
  const made = house(({ time }) => (time === 3 ? 'Done.' : write('x', 'x\n')), { scrub, tool })
  await made.go(ONE)
  const diffs = await Promise.all((await changesIn(made)).map(async ({ diff }) => Buffer.from(await made.store.object(TENANT, diff))))
  expect(diffs).toHaveLength(2)
  for (const diff of diffs) {
    expect(diff.toString()).toContain('+[REDACTED]\n+[REDACTED]\n+[REDACTED] ')
    expect(diff.toString()).not.toMatch(/line of it|wort/)
  }
})

it('nobody looks for what a tool has changed that leaves the repo as it is', async () => {
  const steps: Said[] = [write('story', 'Twice.\n'), 'Done.']
  const made = house(() => steps.shift()!, { tool: writing({ reads: true }) })
  await made.go(ONE)
  expect(await changesIn(made)).toEqual([])
})

it('what cannot be told is told to be unknown, and the run goes on', async () => {
  const steps: Said[] = [write('story', 'Twice.\n'), 'Done.']
  const made = house(() => steps.shift()!, { limits: { files: 0 } })
  expect((await made.go(ONE)).phase).toBe('completed')
  const logged = (await made.events()).flatMap(event => (event.type === 'log.appended' ? [event] : []))
  expect(logged).toHaveLength(3)
  expect(logged[0]).toMatchObject({
    level: 'warn',
    code: 'changes_unknown',
    message: 'Changes of the repo cannot be observed: it has more than 0 files.',
  })
})

it('where no repo is watched, nothing is', async () => {
  const steps: Said[] = [write('story', 'Twice.\n'), 'Done.']
  const made = house(() => steps.shift()!, { watch: async () => null })
  await made.go(ONE)
  expect(await changesIn(made)).toEqual([])
  expect(existsSync(join(repo.folder, 'open'))).toBe(false)
})

it('what a host left when it stopped is told by the next one, with the call that was interrupted', async () => {
  const path = freshPath()
  const open = (owner: string, say: () => Said, more: Furnishing = {}) =>
    house(say, { owner, store: sqliteStore(path, clock, PRODUCT_PROJECTIONS), ...more })
  const [began, end] = [gate(), gate()]
  const tool = writing({
    async run() {
      appendFileSync(at('story'), 'Twice.\n')
      began.open()
      await end.passed
      return null
    },
  })
  const first = open('first', () => write('story', 'x'), { tool })
  await first.create(ONE)
  await began.passed
  const closed = first.close()

  const second = open('second', () => 'I see.')
  await second.runs.resume()
  await second.runs.quiet(TENANT, 'r1')
  expect((await second.events()).flatMap(event => (event.type === 'call.settled' ? [event.status] : []))).toEqual(['interrupted'])
  expect(await changesIn(second)).toMatchObject([{ by: 'tool', files: [{ path: 'story', added: 1 }], shared: true }])
  expect(readFileSync(at('story'), 'utf8')).toBe('Once.\nTwice.\n')
  end.open()
  await closed
})

describe('an agent that turns in circles', () => {
  const document = { ...ONE, stallAfter: 3, budget: { steps: 8 } }
  const stalls = async (made: RunHouse): Promise<boolean> => {
    await made.go(document)
    return (await made.story()).includes('run.stalled a')
  }

  it('does not while files change, though it says the same and its tools fail', async () => {
    expect(await stalls(house(() => fail('story', 'More.\n')))).toBe(false)
    expect(
      await stalls(
        house(() => {
          appendFileSync(at('story'), 'More.\n')
          return fail('story', '')
        }),
      ),
    ).toBe(false)
  })

  it('does when nothing comes of it', async () => {
    expect(await stalls(house(() => fail('story', '')))).toBe(true)
  })
})
