// A built-in template: its text, its name and its digest. Not part of a library.
import type { Digest } from '../digest/digest.ts'
import { type LibraryTemplate, templateDigest } from '../library/template.ts'
import { pinnedText } from '../resolve/prompt-ref.ts'

export interface ShippedTemplate {
  readonly ref: string
  readonly digest: Digest
  readonly template: LibraryTemplate
}

export const shipped = (template: LibraryTemplate): ShippedTemplate => ({
  ref: pinnedText(template.templateId, template.version),
  digest: templateDigest(template),
  template,
})
