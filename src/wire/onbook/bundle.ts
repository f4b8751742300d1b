// A bundle's pack.json, as far as whoever reads its templates needs it.
import type { PromptTemplate } from './prompts.ts'

export interface Bundle {
  readonly kind: 'prompt'
  /** Also the library that its templates are in once it is installed. */
  readonly name: string
  readonly version: string
  readonly prompts: readonly PromptTemplate[]
}
