// Tests the mcpServers section of onbook.host.yaml: the allowed settings, and the problems of all others.
import { expect, it } from 'vitest'
import { readHostFile } from './host-file.ts'

it('names commands and addresses, with limits', () => {
  const { config, problems } = readHostFile(`mcpServers:
  archive: { command: node, args: [server.mjs], env: [ARCHIVE_TOKEN], callMs: 5000, maxTools: 10 }
  far-away: { url: "https://tools.example/mcp", headers: { authorization: far-token }, tenants: [acme], adopters: [ops] }
`)
  expect(problems).toEqual([])
  expect(Object.keys(config.mcpServers)).toEqual(['archive', 'far-away'])
})

it.each([
  ['archive: { args: [x] }', /line 2, column 3: "archive" needs a command or a url, and not both/],
  ['archive: { command: x, url: "http://x" }', /needs a command or a url, and not both/],
  ['archive: { command: x, headers: { a: b } }', /is a command: it has no headers/],
  ['archive: { url: "http://" }', /./],
  ['archive: { command: x, env: ["A=b"] }', /./],
  ['archive: { command: x, maxTools: 0 }', /./],
  ['archive: { command: x, shell: true }', /there is no setting "shell"/],
  ['a__b: { command: x }', /./],
  ['Archive: { command: x }', /./],
  [`${'a'.repeat(33)}: { command: x }`, /longer than 32 characters/],
])('says what is wrong with %s', (line, problem) => {
  const { config, problems } = readHostFile(`mcpServers:\n  ${line}\n`)
  expect(problems.join('\n')).toMatch(problem)
  expect(config.mcpServers).toEqual({})
})
