// Reads a prompt ref: a text (prompt:writer, prompt:writer@1.2.0, prompt:writer@production), or the same as an object.
import { clientError } from './client-error.ts'

export interface RefParts {
  readonly templateId: string
  readonly version?: string
  readonly label?: string
  readonly libraryId?: string
}
export type Ref = string | RefParts

const ID = /^[a-z0-9][a-z0-9._-]{0,127}$/
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/
const LABEL = /^[a-z][a-z0-9-]{0,63}$/

export function readRef(ref: Ref): RefParts {
  if (typeof ref !== 'string') return checked(ref)
  const found = /^prompt:([^@]+)(?:@(.+))?$/.exec(ref)
  if (found === null)
    throw clientError('ref_invalid', `"${ref.slice(0, 200)}" is not a ref: write prompt:<id>, or add @<version or label>.`)
  const [, templateId = '', which] = found
  if (which === undefined) return checked({ templateId })
  return checked(VERSION.test(which) ? { templateId, version: which } : { templateId, label: which })
}

function checked(parts: RefParts): RefParts {
  const { templateId, version, label, libraryId } = parts
  const wrong = (what: string) => clientError('ref_invalid', `The ${what} of the ref is not one.`)
  if (!ID.test(templateId)) throw wrong('templateId')
  if (version !== undefined && !VERSION.test(version)) throw wrong('version')
  if (label !== undefined && !LABEL.test(label)) throw wrong('label')
  if (libraryId !== undefined && !ID.test(libraryId)) throw wrong('libraryId')
  if (version !== undefined && label !== undefined) throw clientError('ref_invalid', 'A ref names a version or a label, not both.')
  return parts
}

export const pinnedRef = (templateId: string, version: string): string => `prompt:${templateId}@${version}`
