// Tests onbook check on files with mistakes or manual edits.
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli, temporaryFolder } from '../testing/hosts/run-cli.ts'

const findings = async (folder: string, ...paths: readonly string[]) => {
  const { code, out } = await runCli(['check', ...paths, '--json'], { cwd: folder })
  const { findings: found } = JSON.parse(out) as {
    findings: { rule: string; file: string; message: string; start?: { line: number; column: number }; line?: number; column?: number }[]
  }
  return { code, found }
}

describe('packs D8: a registry that was edited', () => {
  it('packs D8: removed versions, removed history, unknown keys and keys twice are found, with their place', async () => {
    const folder = temporaryFolder(null)
    await runCli(['init', 'desk'], { cwd: folder })
    await runCli(['activate', 'summarizer', '1.0.0'], { cwd: join(folder, 'desk') })
    const file = join(folder, 'desk', 'onbook.registry.json')
    const registry = JSON.parse(readFileSync(file, 'utf8'))
    const [agentId] = Object.keys(registry.agents)
    const agent = registry.agents[agentId!]
    const { active } = agent
    const next = { ...agent.versions[active], status: 'deprecated' }
    const write = (change: object, text = (json: string) => json) =>
      writeFileSync(file, text(JSON.stringify({ agents: { [agentId!]: { ...agent, ...change } } }, null, 2)))
    const message = async () => (await findings(join(folder, 'desk'))).found.map(one => one.message).join('\n')
    write({
      history: [
        { from: null, to: '0.9.0', at: 'then' },
        { from: '0.9.0', to: active, at: 'now' },
      ],
    })
    expect(await message()).toContain(`${agentId}@0.9.0 is in the history, and missing in "versions"`)
    write({ history: [] })
    expect(await message()).toContain(`The history of ${agentId} ends with nothing, and ${active} is active`)
    write({ versions: { ...agent.versions, '0.8.0': next } })
    expect(await message()).toContain(`${agentId}@0.8.0 is registered, and its history does not say when`)
    write({ note: 'x' })
    expect(await message()).toMatch(/note/)
    write({}, json => json.replace('{', '{"agents": {},'))
    const twice = await findings(join(folder, 'desk'))
    expect([twice.code, twice.found[0]!.file]).toEqual([1, 'onbook.registry.json'])
  })
})

it('packs D7: heads that would ask for nothing are found by check and roles, with line and column', async () => {
  const text = '\n\n## Identity\nA.\n## Responsibilities\nA.\n## Constraints\nA.\n## Output style\nA.\n'
  const folder = temporaryFolder(null, {
    'docs/templates/a.md': `[[template]]\ncapabilities = ["edit_code"]${text}`,
    'docs/templates/b.md': `[template]\ncapabilities = ["tool:*"]${text}`,
    'docs/templates/c.md': `# Who it is.\n[template]\nversion = "1"\n\ncapabilities = ["edit_code"]${text}`,
  })
  const { out } = await runCli(['roles'], { cwd: folder })
  expect(out).toContain('docs/templates/a.md:1:1 error: The head is one table')
  expect(out).toContain('docs/templates/b.md:2:17 warning: "tool:*" names no tool')
  expect(out).toMatch(/^c +1 +repo +edit_code$/m)
  const check = await runCli(['check', '.'], { cwd: folder }).then(({ out: said, err }) => said + err)
  expect(check).toMatch(/docs\/templates\/a\.md:1:1[\s\S]*docs\/templates\/b\.md:2:17/)
})

it('packs D11, small: control characters, pipes and short prompts are found; --fix keeps a byte order mark', async () => {
  const folder = temporaryFolder(null)
  await runCli(['init', 'desk'], { cwd: folder })
  const desk = join(folder, 'desk')
  const pack = join(desk, 'prompts/summarizer/v1.0.0.yaml')
  const text = readFileSync(pack, 'utf8')
  const write = (name: string, body: string) => writeFileSync(join(desk, 'prompts/summarizer', name), body)
  write('v1.0.0.yaml', `# a\u0000b\n${text}`)
  const control = await runCli(['check', '.'], { cwd: desk })
  expect([control.code, control.out + control.err]).toEqual([
    1,
    expect.stringMatching(/v1\.0\.0\.yaml:1:4[\s\S]*U\+0000 cannot stand in YAML/),
  ])
  write('v1.0.0.yaml', text)
  execFileSync('mkfifo', [join(desk, 'prompts/summarizer/v8.0.0.yaml')])
  const pipe = await runCli(['check', '.'], { cwd: desk })
  expect([pipe.code, pipe.out + pipe.err]).toEqual([1, expect.stringMatching(/v8\.0\.0\.yaml[\s\S]*it is not a plain file/)])
  rmSync(join(desk, 'prompts/summarizer/v8.0.0.yaml'))
  const short = text.replace(/systemPrompt: \|[^\n]*\n(?: .*\n|\n)+/, 'systemPrompt: "Hello {{nobody}}."\n')
  expect(short).not.toBe(text)
  write('v1.0.0.yaml', short)
  const said = (await runCli(['check', '.'], { cwd: desk })).out
  expect(said).toMatch(/The section OBJECTIVE is missing/)
  expect(said).toMatch(/nobody/)
  write('v1.0.0.yaml', `\uFEFF$schema: https://elsewhere.example/pack.json\n${text.replace(/^\$schema:.*\n/m, '')}`)
  await runCli(['check', '.', '--fix'], { cwd: desk })
  expect(readFileSync(pack, 'utf8')).toMatch(/^\uFEFF\$schema: "https:\/\/(?!elsewhere)/)
})
