// A symbolic name for a template, in its two spellings. Never a digest.
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'

export interface PromptRef {
  readonly templateId: string
  /** Null: the newest there is. */
  readonly version: string | null
  /** Null: wherever exactly one library has it. */
  readonly libraryId: string | null
  /** A label instead of a version: `production`. Only in our own files and commands. */
  readonly label: string | null
  readonly variableOverrides: Readonly<Record<string, Json>> | null
}

export type ReadRef = { readonly ok: true; readonly ref: PromptRef } | { readonly ok: false; readonly problem: string }

const ID = '[a-z0-9][a-z0-9._-]{0,127}'
const VERSION = '\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?'
const TEXT = new RegExp(`^prompt:(${ID})(?:@(${VERSION}))?$`)
const LABEL = '[a-z][a-z0-9-]{0,63}'
const LABELLED = new RegExp(`^prompt:(${ID})@(${LABEL})$`)
/** Characters of a ref as text, and of the version in one. A ref is quoted once for each layer and entry that it concerns. */
export const MOST_REF = 400
export const MOST_VERSION = 128
const KEYS = ['templateId', 'version', 'libraryId', 'variableOverrides']

/** For schemas. */
export const PATTERNS = { templateId: `^${ID}$`, version: `^${VERSION}$`, label: `^${LABEL}$` } as const

const matching = (pattern: string) => {
  const whole = new RegExp(pattern)
  return (text: unknown): text is string => typeof text === 'string' && whole.test(text)
}

export const isTemplateId = matching(PATTERNS.templateId)
const hasVersionForm = matching(PATTERNS.version)
export const isVersion = (text: unknown): text is string => hasVersionForm(text) && text.length <= MOST_VERSION
export const isLabel = matching(PATTERNS.label)

export interface RefDialect {
  /** Our own refs may name a label. On the OpenWOP wire such a ref is malformed. */
  readonly labels?: boolean
}

export function readPromptRef(value: Json | undefined, { labels = false }: RefDialect = {}): ReadRef {
  if (typeof value === 'string') return readText(value, labels)
  if (!isObject(value)) return wrong('a ref is a text such as prompt:writer@1.2.0, or an object with a templateId')
  const unknown = Object.keys(value).find(key => !KEYS.includes(key))
  if (unknown !== undefined) return wrong(`a ref has no "${shown(unknown)}"`)
  const { templateId, version, libraryId, variableOverrides } = value
  if (!isTemplateId(templateId)) return wrong('its templateId is not one')
  if (version !== undefined && !isVersion(version)) return wrong('its version is not one: 1.2.0')
  if (libraryId !== undefined && !isTemplateId(libraryId)) return wrong('its libraryId is not one')
  if (variableOverrides !== undefined && !isObject(variableOverrides)) return wrong('its variableOverrides are not an object')
  return {
    ok: true,
    ref: { templateId, version: version ?? null, libraryId: libraryId ?? null, label: null, variableOverrides: variableOverrides ?? null },
  }
}

function readText(text: string, labels: boolean): ReadRef {
  if (text.length > MOST_REF) return wrong(`a ref has at most ${MOST_REF} characters: write prompt:<id> or prompt:<id>@<version>`)
  const plain = TEXT.exec(text)
  const labelled = labels && plain === null ? LABELLED.exec(text) : null
  const templateId = plain?.[1] ?? labelled?.[1]
  if (templateId === undefined) return wrong(`"${shown(text)}" is not a ref: write prompt:<id> or prompt:<id>@<version>`)
  return {
    ok: true,
    ref: { templateId, version: plain?.[2] ?? null, libraryId: null, label: labelled?.[2] ?? null, variableOverrides: null },
  }
}

/** Untrusted text for a reason: short, and well-formed. */
export const shown = (text: string): string => text.slice(0, 200).toWellFormed()

const wrong = (problem: string): ReadRef => ({ ok: false, problem })

/** The text form, which has no place for a library: that stays in the record beside it. */
export const refText = ({ templateId, version, label }: Pick<PromptRef, 'templateId' | 'version' | 'label'>): string => {
  const which = version ?? label
  return which === null ? `prompt:${templateId}` : `prompt:${templateId}@${which}`
}

/** A text ref to one version of a template. */
export const pinnedText = (templateId: string, version: string): string => `prompt:${templateId}@${version}`
