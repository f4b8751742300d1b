// Writes the tool descriptors that a model sees as an object of the record.
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import type { Descriptor } from '../../core/tools/catalog.ts'

export const catalogText = (descriptors: readonly Descriptor[]): string =>
  canonicalJson({
    tools: descriptors.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })),
  } as unknown as Json)
