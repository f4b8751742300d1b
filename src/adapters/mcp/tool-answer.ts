// Turns a server's answer to a call into the model's tool result: text and structure whole, images and files by name.
import type { CallToolResult } from '@modelcontextprotocol/client'
import { type Json, tryCanonicalJson } from '../../core/digest/digest.ts'
import { Fault } from '../../errors.ts'

type Block = CallToolResult['content'][number]

const MOST_COMPLAINT = 4_000
const MOST_DEPTH = 64

/** @throws `tool_error` when the tool says itself that it failed */
export function toolAnswer(tool: string, { content, structuredContent, isError }: CallToolResult): Json {
  const text = content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')
  if (isError === true) throw new Fault('tool_error', { tool, said: text.slice(0, MOST_COMPLAINT) || 'it does not say why.' })
  const structured = structuredContent as Json | undefined
  const others = content.flatMap(named)
  return {
    ...(text === '' || isSpelledOut(text, structured) ? {} : { text }),
    ...(structured === undefined ? {} : { structured }),
    ...(others.length === 0 ? {} : { others }),
  }
}

/** Servers repeat structure as text, for clients that know no better: a model need not read it twice. */
function isSpelledOut(text: string, structured: Json | undefined): boolean {
  if (structured === undefined) return false
  try {
    return tryCanonicalJson(JSON.parse(text), MOST_DEPTH) === tryCanonicalJson(structured, MOST_DEPTH)
  } catch {
    return false
  }
}

function named(block: Block): readonly Json[] {
  if (block.type === 'image' || block.type === 'audio') return [{ type: block.type, mimeType: block.mimeType, bytes: bytesOf(block.data) }]
  if (block.type === 'resource_link') return [{ type: block.type, uri: block.uri, name: block.name }]
  if (block.type !== 'resource') return []
  const { resource } = block
  const mimeType = resource.mimeType === undefined ? {} : { mimeType: resource.mimeType }
  const content = 'text' in resource ? { text: resource.text } : { bytes: bytesOf(resource.blob) }
  return [{ type: 'resource', uri: resource.uri, ...mimeType, ...content }]
}

const bytesOf = (base64: string): number => Buffer.byteLength(base64, 'base64')
