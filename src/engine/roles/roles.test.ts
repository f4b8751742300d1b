// Which file a role comes from, and the fault for an unusable one. On real folders.
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { repoRoles } from '../../adapters/repo/repo-roles.ts'
import { readPromptRef } from '../../core/resolve/prompt-ref.ts'
import { shippedRoles } from '../../core/role/shipped-roles.ts'
import type { RoleFiles } from '../../ports.ts'
import { listRoles } from './list-roles.ts'
import { loadRole } from './load-role.ts'

let root: string
let files: RoleFiles
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'onbook-roles-'))
  mkdirSync(join(root, 'docs/templates'), { recursive: true })
  files = repoRoles(root)
})

const SECTIONS = '## Identity\n\nA\n\n## Responsibilities\n\nB\n\n## Constraints\n\nC\n\n## Output style\n\nD\n'
const headed = (head: string): string => `[template]\n${head}\n\n${SECTIONS}`
const plant = (name: string, text: string): void => writeFileSync(join(root, 'docs/templates', `${name}.md`), text)
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('loadRole', () => {
  it('takes the one of the repo before the shipped one, and the shipped one where there is no other', async () => {
    expect(await loadRole(files, 'reviewer')).toMatchObject({ source: 'shipped', role: { raw: shippedRoles.get('reviewer') } })
    expect(await loadRole(null, 'reviewer')).toMatchObject({ source: 'shipped' })
    plant('reviewer', headed('version = "2.0.0"\ncapabilities = ["read_repo"]'))
    expect(await loadRole(files, 'reviewer')).toMatchObject({
      source: 'repo',
      ref: 'prompt:role.reviewer@2.0.0',
      role: { version: '2.0.0', requests: ['read_repo'] },
    })
  })

  it('3: parses the head, requests what it says and no more, and keeps it from the model', async () => {
    plant('writer', headed('capabilities = ["read_repo", "root"]'))
    plant('bare', SECTIONS)
    const { role } = await loadRole(files, 'writer')
    expect(role).toMatchObject({ requests: ['read_repo'], text: SECTIONS })
    expect(role.raw).toContain('[template]')
    expect((await loadRole(files, 'bare')).role.requests).toEqual([])
  })

  it('13: sees a file that was changed, added or removed since', async () => {
    const sourceNow = async () => (await loadRole(files, 'planner')).source
    expect(await sourceNow()).toBe('shipped')
    plant('planner', SECTIONS)
    expect(await sourceNow()).toBe('repo')
    rmSync(join(root, 'docs/templates/planner.md'))
    expect(await sourceNow()).toBe('shipped')
  })

  it('names it by the digest of the whole file, and by a ref that is one', async () => {
    for (const version of ['1', '1.2', '1.2.3', '1.2.3-rc.1', 'v1.2.3', 'production']) {
      const raw = `\uFEFF${headed(`version = "${version}"`)}`
      plant('writer', raw)
      const { ref, digest } = await loadRole(files, 'writer')
      expect(digest).toBe(`sha256:${sha256(raw)}`)
      const pinned = /^\d+\.\d+\.\d+/.test(version) ? version : `0.0.0+${sha256(raw).slice(0, 12)}`
      expect(readPromptRef(ref)).toMatchObject({ ok: true, ref: { templateId: 'role.writer', version: pinned } })
    }
  })

  it.each(['../../secrets', 'Reviewer', '', 'nul', 'constructor\0'])('12: refuses the name %j, with a repo and without', async name => {
    await expect(loadRole(files, name)).rejects.toMatchObject({ code: 'role_name_invalid', status: 400 })
    await expect(loadRole(null, name)).rejects.toMatchObject({ code: 'role_name_invalid' })
  })

  it('says where it looked for a role that there is not, and answers with no text', async () => {
    await expect(loadRole(files, 'constructor')).rejects.toMatchObject({
      code: 'role_template_missing',
      status: 422,
      message: expect.stringContaining('docs/templates/constructor.md and the shipped roles'),
    })
    await expect(loadRole(null, 'writer')).rejects.toThrow(/Searched the shipped roles/)
  })

  it('says where an invalid file is wrong, and does not fall back to the shipped one', async () => {
    plant('reviewer', headed('name = "planner"\nversion = 2'))
    const fault = await loadRole(files, 'reviewer').catch(error => error)
    expect(fault).toMatchObject({ code: 'role_template_invalid', status: 422 })
    expect(fault.message).toMatch(
      /^docs\/templates\/reviewer\.md is not a valid role: 2:8 The head says "name" is "planner".*, and more\. /,
    )
    expect(fault.details.problems).toMatchObject([{ position: { line: 2, column: 8 } }, { position: { line: 3, column: 11 } }])
  })

  it('does not fall back to the shipped one when the file cannot be read', async () => {
    mkdirSync(join(root, 'docs/templates/reviewer.md'))
    await expect(loadRole(files, 'reviewer')).rejects.toMatchObject({ code: 'role_template_unreadable', status: 422 })
  })
})

it('lists a hundred problems of a file and no more', async () => {
  plant('planner', headed(Array.from({ length: 200 }, (_, n) => `a${n} = 1`).join('\n')))
  expect((await loadRole(files, 'planner').catch(error => error)).details.problems).toHaveLength(100)
  expect((await listRoles(files)).find(({ name }) => name === 'planner')?.problems).toHaveLength(100)
})

describe('listRoles', () => {
  it('lists the shipped ones where there is no repo', async () => {
    const roles = await listRoles(null)
    expect(roles.map(({ name }) => name)).toEqual(['implementer', 'investigator', 'orchestrator', 'planner', 'reviewer'])
    expect(roles.every(({ source, shadows, problems }) => source === 'shipped' && !shadows && problems.length === 0)).toBe(true)
  })

  it('lists those of the repo among them, and says which shadow a shipped one', async () => {
    plant('planner', headed('version = "7"'))
    plant('a-writer', SECTIONS)
    const roles = await listRoles(files)
    expect(roles.map(({ name }) => name)).toEqual(['a-writer', 'implementer', 'investigator', 'orchestrator', 'planner', 'reviewer'])
    expect(roles.find(({ name }) => name === 'planner')).toMatchObject({ source: 'repo', version: '7', shadows: true })
    expect(roles[0]).toMatchObject({ source: 'repo', version: '1', requests: [], shadows: false, problems: [] })
  })

  it('hides no file that is broken, and none that no role can be called', async () => {
    plant('planner', '[template]\nversion = 2\n')
    plant('README', 'What lies here.')
    mkdirSync(join(root, 'docs/templates/reviewer.md'))
    const broken = (await listRoles(files)).filter(({ version }) => version === null)
    expect(broken).toMatchObject([
      { name: 'README', shadows: false, problems: [{ severity: 'error', position: null }] },
      { name: 'planner', shadows: true, requests: [] },
      { name: 'reviewer', shadows: true, problems: [{ message: expect.stringContaining('it is a folder'), position: null }] },
    ])
    expect(broken[1]?.problems).toContainEqual(expect.objectContaining({ severity: 'error', position: { line: 2, column: 11 } }))
  })
})
