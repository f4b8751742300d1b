// Tests each rule on its own fixture, in every report format.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../testing/hosts/run-cli.ts'

interface Reported {
  findings: { file: string; rule: string; severity: string; line: number; column: number }[]
}

describe('each rule on its bad fixture', () => {
  const rules = readdirSync('fixtures/packs/bad')

  it.each(rules)('%s is found in every format, at the right line and column', async rule => {
    const cwd = join('fixtures/packs/bad', rule)
    const expected = JSON.parse(readFileSync(join(cwd, 'expected.json'), 'utf8')) as Reported['findings']
    const [json, sarif, junit, github, pretty] = await Promise.all([
      runCli(['check', '--quiet', '--format', 'json'], { cwd }),
      runCli(['check', '--format', 'sarif'], { cwd }),
      runCli(['check', '--format', 'junit'], { cwd }),
      runCli(['check', '--format', 'github'], { cwd }),
      runCli(['check'], { cwd }),
    ])
    const loud = expected.filter(({ severity }) => severity !== 'info')
    expect((JSON.parse(json.out) as Reported).findings).toMatchObject(loud)
    expect((JSON.parse(json.out) as Reported).findings.length).toBe(loud.length)
    const results = JSON.parse(sarif.out).runs[0].results
    for (const { file, rule: id, line, column } of expected) {
      expect(results).toContainEqual(
        expect.objectContaining({
          ruleId: id,
          locations: [
            {
              physicalLocation: {
                artifactLocation: expect.objectContaining({ uri: file }),
                region: expect.objectContaining({ startLine: line, startColumn: column }),
              },
            },
          ],
        }),
      )
      expect(github.out).toContain(`file=${file},line=${line},col=${column}`)
      expect(pretty.out).toContain(`${file}:${line}:${column}`)
      expect(pretty.out).toContain(id)
      expect(junit.out).toContain(id)
    }
    const failing = expected.some(({ severity }) => severity === 'error')
    expect([json, sarif, junit, github, pretty].map(({ code }) => code)).toEqual(Array(5).fill(failing ? 1 : 0))
  })
})
