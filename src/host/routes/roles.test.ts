// Tests /v1/roles over HTTP, through the client, against a real folder.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { repoRoles } from '../../adapters/repo/repo-roles.ts'
import { createClient } from '../../client/index.ts'
import { digestText } from '../../core/digest/digest.ts'
import { shippedRoles } from '../../core/role/shipped-roles.ts'
import { startHost, type TestHost } from '../../testing/hosts/start-host.ts'

const repo = mkdtempSync(join(tmpdir(), 'onbook-host-roles-'))
const folder = join(repo, 'docs/templates')
const OWN = '[template]\nversion = "1.2.3"\ncapabilities = ["read_repo"]\n\n## Identity\n\nOurs.\n'
let host: TestHost
beforeAll(async () => {
  host = await startHost({}, { roles: repoRoles(repo) })
})
afterAll(() => host.close())
beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
})
const clientOf = () => createClient({ url: host.url, key: host.key })

it('lists those of the repo and those that ship, and shows one whole', async () => {
  writeFileSync(join(folder, 'reviewer.md'), OWN)
  const { roles } = clientOf()
  const all = await roles.list()
  expect(all.map(({ name, source, shadows }) => `${name} ${source} ${shadows}`)).toEqual([
    'implementer shipped false',
    'investigator shipped false',
    'orchestrator shipped false',
    'planner shipped false',
    'reviewer repo true',
  ])
  expect(all.at(-1)?.problems.map(({ severity }) => severity)).toEqual(['warning', 'warning', 'warning'])
  expect(await roles.get('reviewer')).toEqual({
    name: 'reviewer',
    source: 'repo',
    version: '1.2.3',
    ref: 'prompt:role.reviewer@1.2.3',
    digest: digestText(OWN),
    requests: ['read_repo'],
    constraints: [],
    text: '## Identity\n\nOurs.\n',
    raw: OWN,
  })
  expect(await roles.get('planner')).toMatchObject({ source: 'shipped', raw: shippedRoles.get('planner') })
})

it('13: shows what the file says now', async () => {
  const sources: string[] = []
  const look = async () => sources.push((await host.ask('GET', '/v1/roles/planner')).body.source)
  await look()
  writeFileSync(join(folder, 'planner.md'), OWN)
  await look()
  rmSync(join(folder, 'planner.md'))
  await look()
  expect(sources).toEqual(['shipped', 'repo', 'shipped'])
})

it('says what is wrong with one, where it looked for another, and answers neither with a text', async () => {
  writeFileSync(join(folder, 'planner.md'), '[template]\nversion = 1\n\nPlan.')
  expect(await host.ask('GET', '/v1/roles/planner')).toMatchObject({
    status: 422,
    body: {
      error: 'role_template_invalid',
      details: { where: 'docs/templates/planner.md', problems: [{ position: { line: 2, column: 11 } }] },
    },
  })
  expect(await host.ask('GET', '/v1/roles/nobody')).toMatchObject({ status: 422, body: { error: 'role_template_missing' } })
  await expect(clientOf().roles.get('nobody')).rejects.toMatchObject({ code: 'role_template_missing' })
  const { body } = await host.ask('GET', '/v1/roles')
  expect(body.roles.find((role: { name: string }) => role.name === 'planner')).toMatchObject({ version: null, source: 'repo' })
})

/** Sends the path as it is: fetch would remove the dots. */
const askRaw = (path: string): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const asked = request(`${host.url}/`, { path, headers: { authorization: `Bearer ${host.key}` } }, answer => {
      let body = ''
      answer.on('data', chunk => {
        body += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode!, body }))
    })
    asked.on('error', reject).end()
  })

it.each([
  '..%2f..%2fsecret',
  '../../secret',
  '%2e%2e%2f%2e%2e%2fsecret',
  '..%5c..%5csecret',
  '%2fetc%2fhostname',
  'reviewer%00',
  'reviewer.md',
  'Reviewer',
  'nul',
  'linked',
])('12: gives nothing of the disk for %s', async name => {
  writeFileSync(join(repo, 'secret.md'), 'words from elsewhere')
  const outside = mkdtempSync(join(tmpdir(), 'onbook-outside-'))
  writeFileSync(join(outside, 'linked.md'), 'words from elsewhere')
  symlinkSync(join(outside, 'linked.md'), join(folder, 'linked.md'))
  const { status, body } = await askRaw(`/v1/roles/${name}`)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  expect(body).not.toContain('words from elsewhere')
  expect(body).not.toContain(outside)
})

it('writes no role, by any method', async () => {
  writeFileSync(join(folder, 'reviewer.md'), OWN)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    for (const path of ['/v1/roles', '/v1/roles/reviewer'])
      expect(await host.ask(method, path, { body: { raw: 'x' } })).toMatchObject({ status: 404, body: { error: 'route_missing' } })
  expect(host.routes.filter(({ url, method }) => url.startsWith('/v1/roles') && !['GET', 'HEAD'].includes(method))).toEqual([])
  expect(readdirSync(folder)).toEqual(['reviewer.md'])
  expect(readFileSync(join(folder, 'reviewer.md'), 'utf8')).toBe(OWN)
})

it('has the shipped ones where the host has no repo', async () => {
  const bare = await startHost()
  try {
    expect((await bare.ask('GET', '/v1/roles')).body.roles).toHaveLength(shippedRoles.size)
    expect((await bare.ask('GET', '/v1/roles/reviewer')).body.source).toBe('shipped')
  } finally {
    await bare.close()
  }
})
