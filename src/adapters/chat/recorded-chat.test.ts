import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ModelCall } from '../../core/messages/model-call.ts'
import type { CallOptions, ChatModel, Delta } from '../../ports.ts'
import { folderFiles } from '../folder/folder-files.ts'
import { recordedChat, recordingChat } from './recorded-chat.ts'
import { scriptedChat } from './scripted-chat.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onbook-recorded-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const call: ModelCall = {
  ...{ provider: 'p', model: 'm', tools: [], parameters: {} },
  messages: [{ role: 'user', content: [{ type: 'secret', id: 'phrase' }] }],
}
const options = (change: Partial<CallOptions> = {}): CallOptions => ({
  signal: new AbortController().signal,
  secrets: { get: async () => 'correct horse' },
  object: async () => new Uint8Array(),
  ...change,
})
const SCRIPT = 'replies: [{ deltas: [he, llo], reasoning: hm, toolCalls: [{ toolName: find }] }, another]'
const record = () => recordingChat(scriptedChat('s.yaml', SCRIPT), folderFiles(folder)).call(call, options())
const only = (): string => join(folder, readdirSync(folder)[0]!)

describe('recordedChat', () => {
  it('plays back what was recorded, for exactly the same request', async () => {
    const live = await record()
    const deltas: Delta[] = []
    expect(await recordedChat(folderFiles(folder)).call(call, options({ onDelta: delta => deltas.push(delta) }))).toEqual(live)
    expect(deltas).toEqual([
      { kind: 'reasoning', text: 'hm' },
      { kind: 'text', text: 'hello' },
    ])
    expect(readFileSync(only(), 'utf8')).toContain('[REDACTED:phrase]')
    expect(readFileSync(only(), 'utf8')).not.toContain('correct horse')
  })

  it('never asks anybody else: what was not recorded fails', async () => {
    await record()
    const other = { ...call, parameters: { temperature: 1 } }
    const receipt = await recordedChat(folderFiles(folder)).call(other, options())
    expect(receipt).toMatchObject({ status: 'error', code: 'model_reply_missing', message: expect.stringContaining('sha256-') })
  })

  it.each([
    ['cut', (text: string) => text.slice(0, 40)],
    ['of another request', (text: string) => text.replace('"model": "m"', '"model": "n"')],
    ['with a broken receipt', (text: string) => text.replace('"toolName": "find"', '"toolName": 7')],
  ])('refuses a recording that is %s', async (_, spoil) => {
    await record()
    writeFileSync(only(), spoil(readFileSync(only(), 'utf8')))
    expect(await recordedChat(folderFiles(folder)).call(call, options())).toMatchObject({ status: 'error', code: 'script_invalid' })
  })

  it('stops when it was told to', async () => {
    expect(await recordedChat(folderFiles(folder)).call(call, options({ signal: AbortSignal.abort() }))).toMatchObject({
      status: 'cancelled',
    })
  })
})

describe('recordingChat', () => {
  it('keeps no failure, and no seal', async () => {
    const failing = recordingChat(scriptedChat('s.yaml', 'replies: []'), folderFiles(folder))
    expect(await failing.call(call, options())).toMatchObject({ code: 'model_reply_missing' })
    expect(readdirSync(folder)).toEqual([])
    const sealed: ChatModel = { call: async () => ({ ...(await record()), requestSeal: { key: 'k', signature: 's' } }) }
    expect(await recordingChat(sealed, folderFiles(folder)).call(call, options())).toHaveProperty('requestSeal')
    expect(readFileSync(only(), 'utf8')).not.toContain('requestSeal')
  })

  it('says so when it cannot keep an answer', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const receipt = await recordingChat(scriptedChat('s.yaml', SCRIPT), folderFiles(file)).call(call, options())
    expect(receipt).toMatchObject({ status: 'error' })
  })
})
