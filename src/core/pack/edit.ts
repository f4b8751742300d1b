// Changes scalars of a pack's YAML in place: comments, order and layout stay as the author left them.
import semver from 'semver'
import type { Pointer } from '../schema/pointer.ts'
import type { Bump } from './changes.ts'
import { idsOf } from './identity.ts'
import type { YamlDocument } from './yaml.ts'

export interface ScalarEdit {
  readonly pointer: Pointer
  readonly value: string
}

/** Edits of missing scalars are left out; the first of two edits for the same scalar wins. */
export function editScalars(document: YamlDocument, edits: readonly ScalarEdit[]): string {
  const spans = edits
    .flatMap(({ pointer, value }) => {
      const span = document.scalarSpan(pointer)
      return span === null ? [] : [{ ...span, text: `${span.start === span.end ? ' ' : ''}${JSON.stringify(value)}` }]
    })
    .sort((a, b) => b.start - a.start)
  // From the end, piece by piece: to rebuild the whole text for each edit would take the square of its length.
  const pieces: string[] = []
  let limit = document.text.length
  for (const { start, end, text } of spans) {
    if (end > limit) continue
    pieces.push(document.text.slice(end, limit), text)
    limit = start
  }
  pieces.push(document.text.slice(0, limit))
  return pieces.reverse().join('')
}

/** Sets `meta.lastUpdated`, and adds the field when it is missing. */
export function setDate(document: YamlDocument, date: string): string {
  if (document.scalarSpan(['meta', 'lastUpdated']) !== null)
    return editScalars(document, [{ pointer: ['meta', 'lastUpdated'], value: date }])
  const { text } = document
  const entry = `lastUpdated: ${JSON.stringify(date)}`
  const { meta } = document.value as { readonly meta?: object | null }
  const [first] = Object.keys(meta ?? {})
  if (first !== undefined) {
    const { start } = document.locate({ pointer: ['meta', first], key: true })
    const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
    return text.slice(0, start) + entry + (indent.trim() === '' ? `\n${indent}` : ', ') + text.slice(start)
  }
  const version = document.scalarSpan(['version'])!
  const lineEnd = text.indexOf('\n', version.end)
  const isBlock = !text.trimStart().startsWith('{')
  return meta === undefined && isBlock && lineEnd !== -1 ? `${text.slice(0, lineEnd)}\nmeta:\n  ${entry}${text.slice(lineEnd)}` : text
}

export const nextVersion = (version: string, bump: Bump): string | null => semver.inc(version, bump)

/** `prompt-writer-v1` names the major version only; the author's form stays. */
export function nextId(id: string, agentId: string, from: string, to: string): string {
  const next = idsOf(agentId, to)
  return id === idsOf(agentId, from).short ? next.short : next.whole
}
