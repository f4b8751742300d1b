// A template in the library: one version, written once, named by the digest of its canonical JSON.
import { canonicalJson, type Digest, digestText, type Json } from '../digest/digest.ts'
import type { PromptKind } from '../pack/compile.ts'

export const VARIABLE_SOURCES = ['input', 'variable', 'secret', 'context'] as const
export type VariableSource = (typeof VARIABLE_SOURCES)[number]
export const VALUE_TYPES = ['string', 'number', 'boolean', 'array', 'object'] as const
export type ValueType = (typeof VALUE_TYPES)[number]

export interface TemplateVariable {
  readonly name: string
  readonly type: ValueType
  readonly required: boolean
  /** The source of its value; default `input`. */
  readonly source?: VariableSource
  /** A dotted path into the value of the source. */
  readonly extractPath?: string
  readonly defaultValue?: Json
  readonly description?: string
}

export const TEMPLATE_ORIGINS = ['host', 'pack', 'user'] as const
export type TemplateOrigin = (typeof TEMPLATE_ORIGINS)[number]

export interface TemplateMeta {
  readonly author?: string
  readonly createdAt?: string
  readonly updatedAt?: string
  readonly source?: TemplateOrigin
  readonly packName?: string
  readonly packVersion?: string
}

export interface LibraryTemplate {
  readonly templateId: string
  readonly version: string
  readonly kind: PromptKind
  readonly text: string
  readonly name?: string
  readonly description?: string
  readonly variables?: readonly TemplateVariable[]
  /** Hints for the model call. Resolution ignores them. */
  readonly modelHints?: {
    readonly modelClass?: string
    readonly temperature?: number
    readonly maxTokens?: number
    readonly envelopeType?: string
  }
  readonly tags?: readonly string[]
  readonly meta?: TemplateMeta
}

/** The tag of templates that a library offers when a ref names only a kind. */
export const DEFAULT_TAG = 'default'

export const templateText = (template: LibraryTemplate): string => canonicalJson(template as unknown as Json)
export const templateDigest = (template: LibraryTemplate): Digest => digestText(templateText(template))
