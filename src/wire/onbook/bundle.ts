// The type of a bundle's pack.json, reduced to the fields that a reader of its templates needs.
import type { PromptTemplate } from './prompts.ts'

export interface Bundle {
  readonly kind: 'prompt'
  /** Also the library id of its templates once the bundle is installed. */
  readonly name: string
  readonly version: string
  readonly prompts: readonly PromptTemplate[]
}
