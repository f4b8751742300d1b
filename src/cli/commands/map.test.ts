// Tests the map of commands: --help, groups, verbs, and the names of earlier releases.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../testing/hosts/run-cli.ts'
import { COMMANDS, type Input } from '../commands.ts'
import { createParser } from '../main.ts'
import { groupPage, helpPage } from './help.ts'
import { DAILY, GROUPS } from './map.ts'

/** Every name of release 0.1.0. */
const EARLIER =
  `init, check, test, render, bump, activate, retire, demo, publish, label, serve, keys create, keys list, keys revoke, keys login,
workspace list, workspace log, workspace diff, workspace show, workspace check, workspace checkout, sessions create, sessions list, sessions show,
sessions config, sessions run, sessions say, sessions resume, sessions complete, sessions cancel, sessions events, sessions transcript, sync, apply,
run, fork, runs, runs list, show, runs pause, runs resume, runs cancel, runs mode, runs override, runs say, approvals, approvals list,
approvals approve, approvals deny, why, blame, prefix, replay, diff, roles, roles show, roles init, policy show, policy explain, policy log, tools,
tools adopt, tools drop, bundle build, bundle sign, bundle verify, bundle install, bundle list, streams, events, object, verify, checkpoint, anchor,
export, import, backup, restore, rebuild, erase, collect`.split(/,\s+/)

const byName = new Map(COMMANDS.map(command => [command.name, command]))
const meantBy = (name: string) => byName.get(name) ?? COMMANDS.find(({ aliases = [] }) => aliases.includes(name))

/** The command that a line selects, with its input. */
async function read(...line: string[]): Promise<{ name: string; input: Input }> {
  let read: { name: string; input: Input } | undefined
  const parser = createParser(async ({ name }, input) => {
    read = { name, input }
  })
  await parser.parseAsync(line, { from: 'user' })
  return read!
}

const placeholders = (name: string) => meantBy(name)!.arguments.flatMap(argument => (argument.startsWith('<') ? ['x'] : []))

it('the map and the table of commands name the same commands', () => {
  const mapped = [...DAILY, ...Object.entries(GROUPS).flatMap(([group, { verbs }]) => verbs.map(verb => `${group} ${verb}`))]
  expect([...mapped].sort()).toEqual([...byName.keys()].sort())
})

it('messages, reports, guides and the scaffold name no earlier name', () => {
  const aliases = COMMANDS.flatMap(({ aliases = [] }) => aliases).filter(alias => !byName.has(alias))
  const earlier = new RegExp(`(?<![\\w/-])onbook (?:${aliases.join('|')})(?![\\w-])`, 'g')
  const paths = ['src/faults', 'src/cli', 'src/host', 'docs/guide', 'docs/reference', 'examples', 'scaffold']
    .flatMap(folder => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)))
    .filter(path => /\.(?:ts|md|yaml|json)$/.test(path) && !/\.test\.ts$/.test(path))
  const named = [...paths, 'README.md'].flatMap(path =>
    [...readFileSync(path, 'utf8').matchAll(earlier)].map(([text]) => `${path}: ${text}`),
  )
  expect(named).toEqual([])
})

it('--help fits 80 columns, and names every group and no earlier name', async () => {
  const { code, out } = await runCli(['--help'])
  expect([code, out]).toEqual([0, `${helpPage()}`])
  expect(out.split('\n').filter(line => line.length > 80)).toEqual([])
  const listed = out.split('\n').flatMap(line => /^ {2}(\w+) /.exec(line)?.[1] ?? [])
  expect(listed).toEqual([...DAILY, ...Object.keys(GROUPS)])
})

it('every page of a group fits 80 columns', () => {
  const wide = Object.keys(GROUPS).flatMap(name =>
    groupPage(name)
      .split('\n')
      .filter(line => line.length > 80),
  )
  expect(wide).toEqual([])
})

describe('names of earlier releases', () => {
  it.each(EARLIER)('onbook %s', async earlier => {
    const { name } = await read(...earlier.split(' '), ...placeholders(earlier))
    expect(name).toBe(meantBy(earlier)!.name)
  })

  it('an earlier name of a group lists, and refuses a verb that does not exist', async () => {
    expect((await read('sessions')).name).toBe('agent list')
    expect((await read('keys')).name).toBe('key list')
    const { code, err } = await runCli(['runs', 'puse', 'x'])
    expect([code, err]).toEqual([2, expect.stringContaining('Did you mean: onbook runs pause')])
  })
})

describe('groups', () => {
  it.each(Object.entries(GROUPS).filter(([name]) => name !== 'run'))('onbook %s alone lists', async (name, group) => {
    expect((await read(name, '--json')).name).toBe(`${name} ${group.default}`)
  })

  it('a verb gets the options behind it', async () => {
    expect(await read('run', 'list', '--limit', '3', '--json')).toMatchObject({ name: 'run list', input: { limit: '3', json: true } })
    expect(await read('tool', 'adopt', 'archive', 'search', '--json')).toMatchObject({
      input: { server: 'archive', tools: ['search'], json: true },
    })
  })

  it('onbook run takes a workflow, a verb, or nothing; run start takes a workflow that is named like a verb', async () => {
    expect(await read('run', 'newsroom.yaml')).toMatchObject({ name: 'run', input: { workflow: 'newsroom.yaml' } })
    expect((await read('run', 'pause', 'x')).name).toBe('run pause')
    expect(await read('run', 'start', 'list')).toMatchObject({ name: 'run start', input: { workflow: 'list' } })
    expect((await read('run')).input.workflow).toBeUndefined()
  })

  it('a mistyped verb or command gets a suggestion, and exit code 2', async () => {
    const verb = await runCli(['prompt', 'activte', 'x', '1.0.0'])
    expect([verb.code, verb.err]).toEqual([2, expect.stringContaining('Did you mean: onbook prompt activate')])
    const command = await runCli(['replya', 'x'])
    expect([command.code, command.err]).toEqual([2, expect.stringContaining('Did you mean replay?')])
    const nothing = await runCli(['host', 'fly'])
    expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining('Verbs: serve, status, stop')])
  })
})
