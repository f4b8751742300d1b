// Texts that people and models write, none of them meant as a tool call: not one is read as one, and real calls put among them are all found.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readToolCalls, toolCallInOutput } from './read-tool-calls.ts'

const call = (id: string): string => `{"tool_call":{"id":"${id}","name":"command","args":{"cmd":"ls"}}}`
const idsIn = (text: string): string[] => readToolCalls(text).calls.map(({ id }) => id)

/** The manuals of installed packages: real markdown, code and JSON, which change with every update. */
function markdownIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.md'))
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}

/** Splits a text into sections of the length of a reply. No section ends inside a fence: a model does not write half of one. */
function sectionsOf(text: string): string[] {
  const sections: string[] = []
  let lines: string[] = []
  let fenced = false
  for (const line of text.split('\n')) {
    if (!fenced && /^#{1,6} /.test(line)) {
      sections.push(lines.join('\n'))
      lines = []
    }
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced
    lines.push(line)
  }
  return [...sections, lines.join('\n')].filter(section => section.trim() !== '')
}

describe('real texts', () => {
  const files = ['node_modules', 'docs', 'spec', 'scaffold', 'examples'].flatMap(markdownIn)
  const texts = [...new Set([...files, ...files.flatMap(sectionsOf)])]
  const plain = texts.filter(text => !/```|~~~/.test(text))

  it('hold no call, whole or in sections', () => {
    const speaking = texts.filter(text => text.includes('tool_call'))
    console.log(`${texts.length} texts, ${plain.length} without fences, ${speaking.length} that speak of tool_call`)
    expect(texts.length).toBeGreaterThan(1_000)
    expect(plain.length).toBeGreaterThan(1_000)
    expect(texts.filter(text => idsIn(text).length > 0)).toEqual([])
  })

  it('that do not speak of tool_call are not commented upon', () => {
    const silent = texts.filter(text => !/tool_call|toolCall/.test(text))
    expect(silent.filter(text => readToolCalls(text).diagnostics.length > 0)).toEqual([])
  })

  it('may be printed by a command', () => {
    expect(texts.filter(text => !text.includes('"tool_call"') && toolCallInOutput(text) !== null)).toEqual([])
  })

  it('hide none of the calls that stand before them, or between their lines', () => {
    for (const text of texts) if (idsIn(`${call('first')}\n${text}`).join() !== 'first') expect.fail(text)
    for (const text of plain) {
      const lines = text.split('\n').slice(0, 20)
      const found = readToolCalls(lines.map((line, at) => `${line}\n${call(`c${at}`)}`).join('\n'))
      expect(found.calls.map(({ id }) => id)).toEqual(lines.map((_, at) => `c${at}`))
      expect(found.message).toBe(lines.join('\n').trim())
    }
  })
})

describe('what a model may say around JSON', () => {
  const quoted = call('quoted')
  const [OPEN, LONG] = ['```', '````']
  const PIECES: Readonly<Record<string, readonly string[]>> = {
    'MCP configurations': [
      '{"mcpServers":{"files":{"command":"npx","args":["-y","server-files","."],"env":{}}}}',
      '{"name":"files","command":"npx","args":{"path":"."}}',
      '{\n  "mcpServers": {\n    "files": { "command": "npx", "args": [] }\n  }\n}',
    ],
    'function calls of other houses': [
      '{"id":"call_1","type":"function","function":{"name":"command","arguments":"{\\"cmd\\":\\"ls\\"}"}}',
      '{"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"command","arguments":"{}"}}]}',
      '{"type":"tool_use","id":"toolu_1","name":"command","input":{"cmd":"ls"}}',
      '{"functionCall":{"name":"command","args":{"cmd":"ls"}}}',
      '{"name":"command","args":{"cmd":"ls"}}',
      '{"tool":"command","params":{"cmd":"ls"}}',
      '{"type":"tool_call","id":"t","name":"command","args":{"cmd":"ls"}}',
      '<tool_call>\n{"name":"command","arguments":{"cmd":"ls"}}\n</tool_call>',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"command","arguments":{}}}',
      'command({"cmd":"ls"})',
    ],
    'logs and lines of JSON': [
      '{"level":"info","msg":"tool_call started","name":"command","args":{}}',
      `{"level":"debug","body":${JSON.stringify(quoted)}}`,
      `2026-01-01T00:00:00Z INFO ${quoted}`,
      `{"event":{"tool_call":{"id":"t","name":"command","args":{}}}}`,
      '{"a":1}\n{"a":2}\n{"a":3}',
      `[${quoted}]`,
      `${quoted},`,
    ],
    'prose that speaks of it': [
      `I would write ${quoted} here.`,
      `Use \`${quoted}\` for that.`,
      `\`${quoted}\``,
      `"${quoted}"`,
      `- ${quoted}`,
      `1. ${quoted}`,
      `**${quoted}**`,
      `${quoted} runs \`ls\`.`,
      `${quoted} ${call('second')}`,
      `> ${quoted}\n> as you said`,
      `> ${OPEN}\n> ${quoted}\n> ${OPEN}`,
      `| call | does |\n|---|---|\n| ${quoted} | lists |`,
      `<code>${quoted}</code>`,
      `<!-- ${quoted} -->`,
      'The `tool_call` protocol wants "tool_call" on one line.',
      "{'tool_call': {'id': 't', 'name': 'command', 'args': {}}}",
      '{"tool_call": {"id": "t", "name": "command", "args": {…}}}',
      JSON.stringify(JSON.parse(quoted), null, 2),
    ],
    'code that holds it': [
      `const line = '${quoted}'`,
      `echo '${quoted}' | jq .`,
      `// ${quoted}`,
      `# ${quoted}`,
      `+${quoted}`,
      `$ ${quoted}`,
    ],
    fences: [
      `${OPEN}json\n${quoted}\n${OPEN}`,
      `${OPEN}\n${quoted}\n${call('second')}\n${OPEN}`,
      `${OPEN}json title="a call" {1}\n${quoted}\n${OPEN}`,
      `~~~json\n${quoted}\n~~~`,
      `~~~ \`\`\`\n${quoted}\n~~~`,
      `${LONG}md\n${OPEN}json\n${quoted}\n${OPEN}\n${quoted}\n${LONG}`,
      `~~~md\n${OPEN}\n${quoted}\n${OPEN}\n${quoted}\n~~~`,
      `- so:\n\n  ${OPEN}json\n  ${quoted}\n  ${OPEN}`,
      `1. so:\n\n   ${OPEN}\n   ${quoted}\n   ${OPEN}`,
      `* ${OPEN}json\n  ${quoted}\n  ${OPEN}`,
      `    ${OPEN}json\n    ${quoted}\n    ${OPEN}`,
      `\t${OPEN}\n\t${quoted}\n\t${OPEN}`,
      `${OPEN}diff\n-${quoted}\n+${quoted}\n ${quoted}\n${OPEN}`,
      `${OPEN}\r\n${quoted}\r\n${OPEN}\r`,
      `${OPEN}json\n${quoted}\n${OPEN}   `,
      `<details>\n\n${OPEN}json\n${quoted}\n${OPEN}\n\n</details>`,
    ],
  }

  it.each(Object.entries(PIECES))('%s', (_, pieces) => {
    for (const piece of pieces) {
      expect([piece, idsIn(piece)]).toEqual([piece, []])
      expect([piece, idsIn(`${call('a')}\n${piece}\n${call('b')}`)]).toEqual([piece, ['a', 'b']])
    }
  })

  const anyPiece = fc.constantFrom(...Object.values(PIECES).flat(), 'Done.', '', '## What I found', 'It works: `{}`.')

  it('in any order holds no call, and hides none that stands between', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyPiece, fc.boolean()), { maxLength: 12 }), pieces => {
        const planted = pieces.flatMap(([, plants], at) => (plants ? [`c${at}`] : []))
        expect(idsIn(pieces.map(([piece]) => piece).join('\n\n'))).toEqual([])
        expect(idsIn(pieces.map(([piece, plants], at) => (plants ? `${piece}\n${call(`c${at}`)}` : piece)).join('\n'))).toEqual(planted)
      }),
      { numRuns: 2_000 },
    )
  })
})
