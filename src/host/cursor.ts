// Cursors: opaque, and stable whatever is written meanwhile. They say where the last page ended, not how many came before.
import { isTemplateId } from '../core/resolve/prompt-ref.ts'
import type { ListPlace } from '../engine/library/list.ts'
import { Fault } from '../errors.ts'

export const writeCursor = ({ templateId, libraryId }: ListPlace): string =>
  Buffer.from(`1:${templateId}:${libraryId}`).toString('base64url')

export function readCursor(text: string | undefined): ListPlace | null {
  if (text === undefined) return null
  const [version, templateId, libraryId] = Buffer.from(text, 'base64url').toString('latin1').split(':')
  if (version !== '1' || !isTemplateId(templateId) || !isTemplateId(libraryId) || writeCursor({ templateId, libraryId }) !== text)
    throw new Fault('validation_error', { problem: 'the cursor is not one that this host gave' })
  return { templateId, libraryId }
}
