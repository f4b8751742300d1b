// Tests lint and tests of a version, recorded under its root.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../../testing/hosts/run-cli.ts'

const BROKEN = { 'tools/catalogs/default.json': '["nothing"]' }
const SOUND = { 'tools/catalogs/default.json': '[{"name": "look"}]' }

function started(files: Readonly<Record<string, string>>) {
  const cwd = temporaryFolder(null, Object.fromEntries(Object.entries(files).map(([path, text]) => [`desk/${path}`, text])))
  const run = (...args: string[]) => runCli(args, { cwd })
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out)
  const write = (changed: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(changed)) {
      mkdirSync(dirname(join(cwd, 'desk', path)), { recursive: true })
      writeFileSync(join(cwd, 'desk', path), text)
    }
  }
  return { cwd, run, json, write, publish: () => json('publish', 'desk', '--workspace', 'writer') }
}

describe('onbook publish --workspace', () => {
  it('keeps the checks of each version, broken or not', async () => {
    const { publish, json, run, write } = started(BROKEN)
    expect((await publish()).workspace).toMatchObject({ version: 1, checks: { files: 1, errors: 1, tests: null } })
    write(SOUND)
    expect((await publish()).workspace).toMatchObject({ version: 2, checks: { errors: 0 } })
    expect(await run('workspace', 'show', 'writer@1', '--checks')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^tools\/catalogs\/default\.json:1:2 {2}error {2}There is no tools\/descriptors\/nothing\.json/),
    })
    expect((await json('workspace', 'show', 'writer@2', '--checks')).findings).toEqual([])
    write(BROKEN)
    const again = (await publish()).workspace
    expect([again.version, again.checks]).toEqual([3, (await json('workspace', 'show', 'writer@1', '--checks')).checks])
    expect((await run('verify')).code).toBe(0)
    expect((await run('rebuild')).code).toBe(0)
    expect((await json('workspace', 'show', 'writer', '--checks')).checks).toEqual(again.checks)
  })

  it('checks what was committed, not what lies in the folder', async () => {
    const { publish, write } = started({ ...SOUND, 'tools/catalogs/draft.json': '{', '.onbookignore': 'tools/catalogs/draft.json\n' })
    expect((await publish()).workspace.checks).toMatchObject({ files: 2, errors: 0 })
    write({ '.onbookignore': '' })
    expect((await publish()).workspace.checks).toMatchObject({ files: 3, errors: 1 })
  })

  it('tests the packs that have a script', async () => {
    const { cwd, run, publish, json } = started({})
    await run('init', 'desk')
    const { checks } = (await publish()).workspace
    expect(checks).toMatchObject({ errors: 0, tests: { fail: 0, error: 0 } })
    expect(checks.tests.pass).toBeGreaterThan(0)
    rmSync(join(cwd, 'desk/prompts/summarizer/v1.0.0.script.yaml'))
    expect((await publish()).workspace.checks.tests).toBeNull()
    expect((await json('workspace', 'show', 'writer@1', '--checks')).cases.length).toBe(checks.tests.pass)
  })

  it('says nothing about a folder in which it knows nothing', async () => {
    const { run, publish } = started({ 'a.md': 'A' })
    expect((await publish()).workspace.checks).toBeNull()
    expect((await run('workspace', 'show', 'writer', '--checks')).out).toContain('was not checked, or holds nothing to check')
  })
})

describe('onbook workspace check', () => {
  it('ends with 1 when something is wrong, and with 2 when there is no such version', async () => {
    const { run, publish } = started(BROKEN)
    await publish()
    expect(await run('workspace', 'check', 'writer')).toMatchObject({ code: 1, out: expect.stringContaining('1 error, 0 warnings') })
    expect((await run('workspace', 'check', 'writer@9')).code).toBe(2)
  })
})
