// Cursors of lists: opaque, and stable under concurrent writes. A cursor names the end of the last page, not an offset.
import { isTemplateId } from '../../core/resolve/prompt-ref.ts'
import type { ListPlace } from '../../engine/library/list.ts'
import { Fault } from '../../errors.ts'

/** A version prefix, so that the format can change later. */
const VERSION = '1:'

const write = (place: string): string => Buffer.from(`${VERSION}${place}`).toString('base64url')

function read(text: string): string {
  const place = Buffer.from(text, 'base64url').toString().slice(VERSION.length)
  if (place === '' || write(place) !== text) throw foreignCursor()
  return place
}

export const foreignCursor = (): Fault => new Fault('validation_error', { problem: 'the cursor is not one that this host gave' })

export const writeStreamCursor = write
export const readStreamCursor = read

export const writeCursor = ({ templateId, libraryId }: ListPlace): string => write(`${templateId}:${libraryId}`)

export function readCursor(text: string | undefined): ListPlace | null {
  if (text === undefined) return null
  const [templateId, libraryId, ...more] = read(text).split(':')
  if (!isTemplateId(templateId) || !isTemplateId(libraryId) || more.length > 0) throw foreignCursor()
  return { templateId, libraryId }
}
