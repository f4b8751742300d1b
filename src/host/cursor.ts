// Cursors: opaque, and stable whatever is written meanwhile. They say where the last page ended, not how many came before.
import { isTemplateId } from '../core/resolve/prompt-ref.ts'
import { Fault } from '../errors.ts'

export const writeCursor = (templateId: string): string => Buffer.from(`1:${templateId}`).toString('base64url')

export function readCursor(text: string | undefined): string {
  if (text === undefined) return ''
  const [version, templateId] = Buffer.from(text, 'base64url').toString('latin1').split(':')
  if (version !== '1' || !isTemplateId(templateId) || writeCursor(templateId) !== text)
    throw new Fault('validation_error', { problem: 'the cursor is not one that this host gave' })
  return templateId
}
