// Set-up, in a fake project: once, again, broken off, side by side.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeProject, fakeProject, type Started } from './fake-project.ts'

const ALL = ['npm ci --include=dev', 'build']

let project: FakeProject
beforeEach(() => {
  project = fakeProject()
})
afterEach(() => project.remove())

const untilNpmRuns = async () => {
  while (!existsSync(join(project.root, 'ran.log'))) await sleep(5)
}

describe('set-up', () => {
  it('installs, builds and links with the real npm, then runs the job and passes on its exit code', async () => {
    const { code, output } = await project.run({ npm: 'npm' })
    expect(output).toMatch(/^Installing packages… done in [\d.]+ s\nBuilding… done in [\d.]+ s\nBundling… done in [\d.]+ s\njob a b\n$/)
    expect(code).toBe(7)
    expect(readFileSync(join(project.root, 'dist/cli/scaffold/pack.yaml'), 'utf8')).toBe('id: x')
    expect(execFileSync(join(project.root, 'node_modules/.bin/onbook'), { encoding: 'utf8' })).toBe('first\n')
  })

  it('does nothing the second time', async () => {
    await project.run()
    expect(project.ran()).toEqual(ALL)
    expect(await project.run({ npm: '/does/not/exist' })).toEqual({ code: 7, output: 'job a b\n' })
    expect(project.ran()).toEqual([])
    expect(readdirSync(join(project.root, '.setup')).sort()).toEqual(['built', 'installed'])
  })

  it('installs again when a manifest, the lockfile or .npmrc changed', async () => {
    await project.run()
    project.ran()
    for (const file of ['package.json', 'package-lock.json', 'web/package.json', '.npmrc']) {
      const path = join(project.root, file)
      project.write(file, `${existsSync(path) ? readFileSync(path, 'utf8') : '{}'}\n`)
      await project.run()
      expect(project.ran(), file).toEqual(ALL)
    }
  })

  it('links again when only the link is gone', async () => {
    await project.run()
    project.ran()
    project.erase('node_modules/.bin/onbook')
    await project.run()
    expect(existsSync(join(project.root, 'node_modules/.bin/onbook'))).toBe(true)
    expect(project.ran()).toEqual([])
  })

  it('shows what npm said when it fails, and tries again the next time', async () => {
    project.write('npm-fails', '')
    const failed = await project.run()
    expect(failed.output).toMatch(/Installing packages… failed\.\nthe registry is on fire\n\n.*ended with 3/)
    expect(failed.code).toBe(3)
    project.erase('npm-fails')
    expect((await project.run()).code).toBe(7)
  })

  it('leaves a checkout alone that the job calling it has made ready', async () => {
    const env = { ...process.env, ONBOOK_READY: project.root }
    const { status } = spawnSync(process.execPath, ['scripts/bootstrap.mjs', 'bench', 'job'], { cwd: project.root, env })
    expect([status, project.ran()]).toEqual([7, []])
  })
})

describe('a set-up that was killed', () => {
  let killed: Started
  beforeEach(async () => {
    project.write('npm-waits', '')
    killed = project.start(['bench', 'job', 'a', 'b'])
    await untilNpmRuns()
  })

  const expectHealed = async (next: Started) => {
    expect((await next.ended).code).toBe(7)
    expect(project.ran()).toEqual([ALL[0], ...ALL])
    expect(await project.run()).toEqual({ code: 7, output: 'job a b\n' })
  }

  it('with everything it started: heals', async () => {
    process.kill(-killed.process.pid!, 'SIGKILL')
    await killed.ended
    project.erase('npm-waits')
    await expectHealed(project.start(['bench', 'job', 'a', 'b']))
  })
})

describe('two set-ups at once', () => {
  it('do the work once, and the second says that it waits', async () => {
    project.write('npm-waits', '')
    const first = project.start(['bench', 'job', 'a', 'b'])
    await untilNpmRuns()
    const second = project.start(['bench', 'job', 'a', 'b'])
    await second.printed('Waiting for process')
    project.erase('npm-waits')
    expect((await first.ended).code).toBe(7)
    const { output } = await second.ended
    expect(output).toMatch(new RegExp(`^Waiting for process ${first.process.pid}, which sets up this checkout\\. .*busy\\.\njob a b\n$`))
    expect(project.ran()).toEqual(ALL)
  })

  it.each(['', 'no process', String(spawnSync(process.execPath, ['-e', '0']).pid)])(
    'take over from a killed one that left %j',
    async left => {
      project.write('.setup/busy', left)
      expect(await project.run()).toMatchObject({ code: 7, output: expect.not.stringContaining('Waiting') })
      expect(project.ran()).toEqual(ALL)
    },
  )
})

describe('the build', () => {
  it('is made again when a source changed, and not for a test', async () => {
    await project.run()
    project.ran()
    project.write('src/cli/main.test.ts', '')
    await project.run()
    expect(project.ran()).toEqual([])
    project.write('src/cli/main.ts', "export const main = async () => console.log('second') ?? 0")
    await project.run()
    expect(project.ran()).toEqual(['build'])
    expect(execFileSync(process.execPath, ['bin/onbook.mjs'], { cwd: project.root, encoding: 'utf8' })).toBe('second\n')
  })

  it('that fails leaves the old one, and says why', async () => {
    await project.run()
    project.write('src/cli/main.ts', 'TYPE ERROR')
    const failed = await project.run()
    expect(failed.output).toMatch(/Building… failed\.\nmain\.ts: TYPE ERROR/)
    expect(failed.code).toBe(2)
    expect(execFileSync(process.execPath, ['bin/onbook.mjs'], { cwd: project.root, encoding: 'utf8' })).toBe('first\n')
  })

  it('that is missing is named by the command', () => {
    const { status, stderr } = spawnSync(process.execPath, ['bin/onbook.mjs'], { cwd: project.root, encoding: 'utf8' })
    expect([status, stderr]).toEqual([2, 'onbook is not built yet: run npm start once.\n'])
  })
})

describe('a job', () => {
  it('gets Ctrl-C and answers with its own exit code', async () => {
    const started = project.start(['bench', 'job', 'wait'])
    await started.printed('waiting')
    started.process.kill('SIGINT')
    expect((await started.ended).code).toBe(5)
  })

  it('that does not exist is answered with those that do', async () => {
    const { code, output } = await project.start(['toString']).ended
    expect([code, output]).toEqual([2, 'No job named "toString". There are: start, test, test:deep, bench, story, docs, golden, build.\n'])
  })
})

it('asks for the Node that package.json names', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [, major, minor] = /NEEDED = \[(\d+), (\d+)\]/.exec(readFileSync('scripts/bootstrap.mjs', 'utf8')) ?? []
  expect(`>=${major}.${minor}`).toBe(engines.node)
})
