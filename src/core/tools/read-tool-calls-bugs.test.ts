// Bugs of the list that are about reading tool calls (6, 7 and 18), under their numbers: what another house ran or ignored in silence.
import { describe, expect, it } from 'vitest'
import { readToolCalls } from './read-tool-calls.ts'

const CALL = '{"tool_call":{"id":"t","name":"command","args":{"cmd":"rm -rf src"}}}'
/** `code@line` for each diagnostic. */
const said = (text: string): string[] => readToolCalls(text).diagnostics.map(({ code, line }) => `${code}@${line}`)

describe('bug 6: a call in a fence', () => {
  it.each([
    ['of backticks', `\`\`\`\n${CALL}\n\`\`\``],
    ['with a language', `\`\`\`json\n${CALL}\n\`\`\``],
    ['of tildes', `~~~\n${CALL}\n~~~`],
    ['that is longer', `\`\`\`\`\n${CALL}\n\`\`\`\``],
    ['in a list', `- \`\`\`\n  ${CALL}\n  \`\`\``],
    ['that nothing closes', `\`\`\`\n${CALL}`],
    ['of a text from Windows', `\`\`\`\r\n${CALL}\r\n\`\`\`\r\n`],
  ])('%s is not run, stays to be seen, and is spoken of', (_, text) => {
    expect(readToolCalls(text)).toMatchObject({ calls: [], message: text })
    expect(said(text)).toEqual(['fenced@2'])
  })

  it('is not run beside one that is', () => {
    const read = readToolCalls(`Like this:\n\`\`\`\n${CALL}\n\`\`\`\n${CALL.replace('rm -rf src', 'ls')}`)
    expect(read.calls).toMatchObject([{ id: 't', args: { cmd: 'ls' } }])
    expect(read.message).toBe(`Like this:\n\`\`\`\n${CALL}\n\`\`\``)
  })
})

describe('bug 7: params', () => {
  it.each(['{"cmd":"ls"}', '{}', 'null', '[]'])('%s in place of args run nothing', params => {
    const text = `{"tool_call":{"id":"t","name":"command","params":${params}}}`
    expect(readToolCalls(text)).toMatchObject({ calls: [], message: text })
    expect(said(text)).toEqual(['use-args@1'])
  })

  it('beside args are ignored, and that is said', () => {
    const text = '{"tool_call":{"id":"t","name":"command","params":{"cmd":"rm"},"args":{"cmd":"ls"}}}'
    expect(readToolCalls(text).calls).toMatchObject([{ args: { cmd: 'ls' } }])
    expect(said(text)).toEqual(['ignored-params@1'])
  })

  it('of a bare object are text, whatever tool it names', () => {
    for (const text of ['{"name":"command","params":{"cmd":"ls"}}', '{"tool":"command","args":{"cmd":"ls"}}'])
      expect(readToolCalls(text)).toEqual({ calls: [], diagnostics: [], message: text })
  })
})

describe('bug 18: a call that is wrong', () => {
  it.each([
    ['without args', '{"tool_call":{"id":"t","name":"command"}}', 'bad-args'],
    ['with a list for args', '{"tool_call":{"id":"t","name":"command","args":[]}}', 'bad-args'],
    ['with a text for args', '{"tool_call":{"id":"t","name":"command","args":"{}"}}', 'bad-args'],
    ['without a name', '{"tool_call":{"id":"t","args":{}}}', 'bad-wrapper'],
    ['of a tool that nobody has', '{"tool_call":{"id":"t","name":"bash","args":{}}}', 'unknown-tool'],
    ['with a key that stands twice', '{"tool_call":{"id":"t","name":"read_file","name":"command","args":{}}}', 'duplicate-key'],
    ['in camel case', '{"toolCall":{"id":"t","name":"command","args":{}}}', 'camel-wrapper'],
    ['behind a bullet', `- ${CALL}`, 'near-miss'],
    ['behind words', `Now: ${CALL}`, 'near-miss'],
    ['twice on a line', `${CALL} ${CALL}`, 'near-miss'],
    ['with a comma at its end', `${CALL},`, 'near-miss'],
    ['of broken JSON', CALL.slice(0, -1), 'near-miss'],
  ])('%s is spoken of, at its line, and stays to be seen', (_, line, code) => {
    const text = `First.\n${line}\nThen.`
    expect(readToolCalls(text)).toMatchObject({ calls: [], message: text })
    expect(said(text)).toEqual([`${code}@2`])
  })

  it('that is laid out over lines is spoken of', () => {
    expect(said(JSON.stringify(JSON.parse(CALL), null, 2))).toEqual(['near-miss@2'])
  })

  it('by any one character is a call, spoken of, or has lost its mark', () => {
    for (let at = 0; at < CALL.length; at++)
      for (const put of ['', '"', '{', '}', ',', ':', '\\', ' ', 'x']) {
        const text = CALL.slice(0, at) + put + CALL.slice(at + 1)
        const { calls, diagnostics } = readToolCalls(text)
        expect([text, calls.length + diagnostics.length > 0]).toEqual([text, text.includes('tool_call')])
      }
  })
})
