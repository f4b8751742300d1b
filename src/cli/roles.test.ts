// Tests onbook role, and which repo serve reads roles from.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readRole } from '../core/role/role.ts'
import { shippedRoles } from '../core/role/shipped-roles.ts'
import { newRole } from '../core/role/skeleton.ts'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

const OWN = newRole('reviewer')

describe('onbook role', () => {
  it('lists what ships, and what the repo has instead', async () => {
    const folder = temporaryFolder(null, { 'docs/templates/reviewer.md': OWN })
    const { code, out } = await runCli(['roles'], { cwd: folder })
    expect(code).toBe(0)
    expect(out).toMatch(/^planner +2 +shipped +read_repo, write_docs$/m)
    expect(out).toMatch(/^reviewer +1\.0\.0 +repo, instead of the shipped one +read_repo$/m)
  })

  it('ends with 1 and says where, when one cannot be used', async () => {
    const folder = temporaryFolder(null, { 'docs/templates/planner.md': '[template]\nversion = 2\n\nPlan.\n' })
    const { code, out } = await runCli(['roles'], { cwd: folder })
    expect(code).toBe(1)
    expect(out).toContain('docs/templates/planner.md:2:11 error: A value is text in quotes')
    const listed = JSON.parse((await runCli(['roles', '--json'], { cwd: folder })).out)
    expect(listed.roles.find((role: { name: string }) => role.name === 'planner')).toMatchObject({ version: null, shadows: true })
  })

  it('takes the repo from --repo, or from where the record is', async () => {
    const folder = temporaryFolder(null, { 'docs/templates/house.md': newRole('house'), '.onbook/onbook.db': '', 'src/deep/x': '' })
    expect((await runCli(['roles', 'show', 'house'], { cwd: join(folder, 'src/deep') })).code).toBe(0)
    expect((await runCli(['roles', 'show', 'house', '--repo', folder], { cwd: '/' })).code).toBe(0)
    expect(await runCli(['roles', '--repo', join(folder, 'nowhere')])).toMatchObject({ code: 2, err: /--repo must be a folder/ })
  })
})

describe('onbook role show', () => {
  it('prints what the model gets; with --raw the file, byte for byte', async () => {
    const folder = temporaryFolder(null)
    const raw = shippedRoles.get('implementer')!
    const { out } = await runCli(['roles', 'show', 'implementer'], { cwd: folder })
    expect(raw.endsWith(out)).toBe(true)
    expect(out).toMatch(/^## Identity/)
    expect((await runCli(['roles', 'show', 'implementer', '--raw'], { cwd: folder })).out).toBe(raw)
    expect(JSON.parse((await runCli(['roles', 'show', 'implementer', '--json'], { cwd: folder })).out)).toMatchObject({
      source: 'shipped',
      ref: expect.stringMatching(/^prompt:role\.implementer@0\.0\.0\+[0-9a-f]{12}$/),
      requests: ['read_repo', 'edit_code', 'run_commands'],
      raw,
    })
  })

  it.each(['nobody', '../../etc/hostname', 'Implementer'])('ends with 2 for %s', async name => {
    const { code, out, err } = await runCli(['roles', 'show', name], { cwd: temporaryFolder(null) })
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(`"${name}"`)
  })
})

describe('onbook role init', () => {
  it('copies a shipped role, begins another, and both pass the check', async () => {
    const folder = temporaryFolder(null)
    expect(await runCli(['roles', 'init', 'planner'], { cwd: folder })).toMatchObject({
      code: 0,
      out: /^Wrote docs\/templates\/planner\.md/,
    })
    expect(JSON.parse((await runCli(['roles', 'init', 'writer', '--json'], { cwd: folder })).out)).toEqual({
      name: 'writer',
      path: 'docs/templates/writer.md',
      from: 'beginning',
    })
    expect(readFileSync(join(folder, 'docs/templates/planner.md'), 'utf8')).toBe(shippedRoles.get('planner'))
    expect(await runCli(['check'], { cwd: folder })).toMatchObject({ code: 0, out: '2 files checked: no problems.\n' })
  })

  it('begins with a role that may read and no more', () => {
    const read = readRole(newRole('a'.repeat(64)), 'a'.repeat(64))
    expect(read).toMatchObject({ ok: true, problems: [], role: { requests: ['read_repo'] } })
  })

  it('overwrites nothing, and writes nowhere else', async () => {
    const folder = temporaryFolder(null, { 'docs/templates/planner.md': 'ours' })
    expect(await runCli(['roles', 'init', 'planner'], { cwd: folder })).toMatchObject({ code: 2, err: /exists already/ })
    expect(readFileSync(join(folder, 'docs/templates/planner.md'), 'utf8')).toBe('ours')
    expect(await runCli(['roles', 'init', '../planner'], { cwd: folder })).toMatchObject({ code: 2, err: /is no name of a role/ })
    expect(existsSync(join(folder, 'docs/planner.md'))).toBe(false)
  })

  it('follows no link out of the repo', async () => {
    const [folder, outside] = [temporaryFolder(null), temporaryFolder(null)]
    mkdirSync(join(folder, 'docs'))
    symlinkSync(outside, join(folder, 'docs/templates'))
    expect(await runCli(['roles', 'init', 'planner'], { cwd: folder })).toMatchObject({ code: 2, err: /leads out/ })
    expect(existsSync(join(outside, 'planner.md'))).toBe(false)
  })
})

describe('onbook check', () => {
  it('looks at roles, alone or with the rest', async () => {
    const folder = temporaryFolder(null, { 'docs/templates/writer.md': 'You write.\n', 'docs/other.md': '' })
    for (const path of ['.', 'docs/templates', 'docs/templates/writer.md']) {
      const { code, out } = await runCli(['check', path, '--json'], { cwd: folder })
      const { findings } = JSON.parse(out) as { findings: { file: string; rule: string }[] }
      expect([code, findings.length, new Set(findings.map(({ file, rule }) => `${file} ${rule}`))]).toEqual([
        0,
        4,
        new Set(['docs/templates/writer.md role-valid']),
      ])
    }
  })
})

it('serve shows the roles of its repo, as they are at that moment', async () => {
  const folder = temporaryFolder(null)
  const elsewhere = temporaryFolder(null, { 'docs/templates/house.md': newRole('house') })
  const child = spawn(process.execPath, [resolve('bin/onbook.mjs'), 'serve', '--port', '0', '--json', '--repo', elsewhere], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const { url } = JSON.parse(String(line)) as { url: string }
    const headers = { authorization: `Bearer ${readFileSync(join(folder, '.onbook/local.key'), 'utf8').trim()}` }
    const versionOf = async () => ((await (await fetch(`${url}/v1/roles/house`, { headers })).json()) as { version: string }).version
    expect(await versionOf()).toBe('1.0.0')
    writeFileSync(join(elsewhere, 'docs/templates/house.md'), newRole('house').replace('1.0.0', '1.1.0'))
    expect(await versionOf()).toBe('1.1.0')
  } finally {
    child.kill('SIGKILL')
  }
})
