// Whether a scenario may run on a host, by what the host advertises. Knows no test runner: what becomes of a reason to skip is the caller's.
import { isObject } from '../core/digest/is-object.ts'

/** A host's answer at /.well-known/openwop. */
export interface CapabilityDocument {
  readonly [family: string]: unknown
}

/** Null when the scenario may run, else why it must be skipped. */
export type CapabilityGate = (document: CapabilityDocument) => string | null

/** @param url of the host, without a path */
export async function readCapabilities(url: string): Promise<CapabilityDocument> {
  const answer = await fetch(new URL('/.well-known/openwop', url)).catch((cause: unknown) => {
    throw new Error(`No host answers at ${url}.`, { cause })
  })
  const document: unknown = answer.ok ? await answer.json().catch(() => null) : null
  if (!isDocument(document)) throw new Error(`${url} serves no capability document: it answered ${answer.status}.`)
  return document
}

const isDocument = (value: unknown): value is CapabilityDocument => isObject(value as Parameters<typeof isObject>[0])

/** Families stand at the root (RFC 0073); older hosts have them under `capabilities` only. */
function advertised(document: CapabilityDocument, flag: string): unknown {
  const [family, ...path] = flag.split('.')
  const { capabilities } = document
  const found = document[family!] ?? (isDocument(capabilities) ? capabilities[family!] : undefined)
  return path.reduce<unknown>((value, key) => (isDocument(value) ? value[key] : undefined), found)
}

/** A flag counts only when it is `true`: what is absent is not provided. */
const needs =
  (...flags: readonly string[]): CapabilityGate =>
  document => {
    const missing = flags.find(flag => advertised(document, flag) !== true)
    return missing === undefined ? null : `the host does not advertise ${missing}`
  }

/** RFC 0027: nodes resolve and compose prompts. */
export const requirePrompts = needs('prompts.supported')
/** RFC 0028: /v1/prompts answers. */
export const requirePromptEndpoints = needs('prompts.endpointsSupported')
/** RFC 0028: templates can be created, replaced and removed. */
export const requireMutableLibrary = needs('prompts.endpointsSupported', 'prompts.mutableLibrary')
/** RFC 0028: packs of kind `prompt` can be installed. */
export const requirePromptPacks = needs('prompts.endpointsSupported', 'prompts.packsSupported')
/** RFC 0029: agents have a say in which prompt applies. */
export const requirePromptAgentBindings = needs('prompts.supported', 'prompts.agentBindings')
/** Variables may be secrets. */
export const requireSecrets = needs('secrets.supported')
/** Runs can be replayed. */
export const requireReplay = needs('replay.supported')

/** Bodies are shown, not only their hashes. */
export const requirePromptBodies: CapabilityGate = document =>
  requirePrompts(document) ?? (advertised(document, 'prompts.observability') === 'full' ? null : 'the host shows no bodies')
