// Validates a template of a caller before the library stores it.
import { templateProblems } from '../../../core/library/check.ts'
import type { LibraryTemplate } from '../../../core/library/template.ts'
import { Fault } from '../../../errors.ts'

/** Throws `validation_error`. */
export function checkTemplate(template: LibraryTemplate, mostBytes: number): void {
  if (template.meta?.packName !== undefined || template.meta?.packVersion !== undefined)
    throw new Fault('validation_error', { problem: 'meta.packName and meta.packVersion are set by bundles, not by callers' })
  const [problem] = templateProblems(template, mostBytes)
  if (problem !== undefined) throw new Fault('validation_error', { problem })
}
