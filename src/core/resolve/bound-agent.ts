// Extracts the part of an agent's manifest that resolution needs.
import { digestText, hexOf, type Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import type { BoundAgent } from './layers.ts'
import { isVersion } from './prompt-ref.ts'

/** Null for a manifest that names no agent. */
export function boundAgent(manifest: JsonObject): BoundAgent | null {
  const { agentId, version, systemPrompt, systemPromptRef, promptOverrides, promptLibraryRef } = manifest
  if (typeof agentId !== 'string' || agentId === '') return null
  const text = textOf(systemPrompt) ?? textOf(systemPromptRef)
  return {
    agentId,
    intrinsic: text === null ? null : intrinsicTemplate(agentId, isVersion(version) ? version : null, text),
    promptOverrides: isObject(promptOverrides) ? promptOverrides : {},
    promptLibraryRef: textOf(promptLibraryRef),
  }
}

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' && value !== '' ? value : null)

const FITS = /^[a-z0-9._-]{1,100}$/
const HEX = 12
const shortHash = (text: string): string => hexOf(digestText(text)).slice(0, HEX)

/** An agent's own text has no ref, so one is made for it that fits the grammar of refs. */
export function intrinsicTemplate(agentId: string, version: string | null, text: string): NonNullable<BoundAgent['intrinsic']> {
  const plain = agentId
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .slice(0, 100)
  const id = FITS.test(agentId) ? agentId : `${plain}${shortHash(agentId)}`
  return { templateId: `agent-intrinsic.${id}`, version: version ?? `0.0.0+${shortHash(text)}`, digest: digestText(text) }
}
