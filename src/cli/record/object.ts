// onbook store object DIGEST: prints the bytes of an object.

import { tenantOf, withRecord } from '../../book/record-folder.ts'
import { type Digest, isDigest } from '../../core/digest/digest.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { visibleLines } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { print, writeNew } from './output.ts'

export const object = (input: Input): Promise<number> =>
  withRecord(input, async store => {
    const digest = readDigest(input.digest)
    const chunks = store.readObject(tenantOf(input), digest)
    if (input.json) printJson(await described(digest, chunks))
    else if (typeof input.output === 'string') await writeNew(input.output, chunks)
    else await show(chunks)
    return 0
  })

export function readDigest(given: unknown): Digest {
  const text = String(given)
  const digest = text.startsWith('sha256:') ? text : `sha256:${text}`
  if (!isDigest(digest)) throw new Fault('usage_invalid', { problem: `"${text}" is not a digest: sha256: and 64 hexadecimal digits` })
  return digest
}

async function described(digest: Digest, chunks: AsyncIterable<Uint8Array>): Promise<object> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  const bytes = Buffer.concat(all)
  const text = bytes.toString('utf8')
  return { digest, size: bytes.length, ...(Buffer.from(text).equals(bytes) ? { text } : { base64: bytes.toString('base64') }) }
}

/** On a terminal, visible symbols replace control characters. A pipe gets the bytes unchanged. */
export async function show(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  if (!process.stdout.isTTY) {
    for await (const chunk of chunks) await print(chunk)
    return
  }
  const decoder = new TextDecoder()
  for await (const chunk of chunks) await print(visibleLines(decoder.decode(chunk, { stream: true })).join('\n'))
  await print('\n')
}
