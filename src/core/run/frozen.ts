// The frozen world of a run: the workflow, its agents and roles, and the host's settings at its start. Written once, never changed.
import type { Agent } from '../agent/agent.ts'
import type { ComposeStyle } from '../compose/compose-style.ts'
import type { Repository } from '../compose/task-payload.ts'
import type { Digest } from '../digest/digest.ts'
import type { UsualSettings } from '../gate/usual-settings.ts'
import type { KindRefs } from '../resolve/layers.ts'
import type { PromptRef } from '../resolve/prompt-ref.ts'
import type { Found, Lookup } from '../resolve/resolve.ts'
import type { Workflow } from '../workflow/workflow.ts'

export interface FrozenRole {
  readonly name: string
  readonly source: 'repo' | 'shipped'
  readonly ref: string
  /** The digest of the file, head included. */
  readonly digest: Digest
  readonly requests: readonly string[]
  /** For the model. */
  readonly text: string
}

/** The targets of refs and libraries at the start of the run. Later publications do not reach it. */
export interface FrozenLookup {
  readonly found: Readonly<Record<string, Found>>
  readonly defaults: Readonly<Record<string, Found | null>>
  /** Answers for the host's defaults, from the host's own library. Runs of version 0.1.0 left it out and have them in `found`. */
  readonly host?: Readonly<Record<string, Found>>
}

export interface Frozen {
  readonly workflow: Workflow
  /** The agents that its nodes name, without those that do not exist. */
  readonly agents: Readonly<Record<string, Agent>>
  readonly roles: Readonly<Record<string, FrozenRole>>
  readonly lookup: FrozenLookup
  readonly hostDefaults: KindRefs
  readonly agentBindings: boolean
  /** The host does not support prompts: refs are stored and never resolved. Left out otherwise. */
  readonly opaqueRefs?: true
  /** The model of nodes that name none, and whose agent names none. */
  readonly model: { readonly provider: string; readonly model: string } | null
  readonly repository: Repository | null
  /** Left out by the first runs. */
  readonly settings?: UsualSettings
  /** Whether a node's `userPrompt` and `schemaHintPrompt` are sent. Runs of version 0.1.0 left it out, and did not send them. */
  readonly inlinePrompts?: true
  /** The schemas of the pack that each node's system prompt comes from, by node. Left out when there are no schemas. */
  readonly packs?: Readonly<Record<string, Digest>>
  /** The default when neither agent nor workflow chooses. A run without it is composed as a graph. */
  readonly compose?: ComposeStyle
}

export const refKey = ({ libraryId, templateId, version, label }: PromptRef): string =>
  JSON.stringify([libraryId, templateId, version, label])
const defaultKey = (libraryId: string, kind: string): string => JSON.stringify([libraryId, kind])

const KINDS = ['system', 'user', 'few-shot', 'schema-hint'] as const

/** All that a run may ask for. */
export interface Wanted {
  readonly refs: readonly PromptRef[]
  readonly libraries: readonly string[]
  /** The host's defaults: they lead into the host's own library alone. */
  readonly hostRefs: readonly PromptRef[]
}

export function freezeLookup(lookup: Lookup, { refs, libraries, hostRefs }: Wanted): FrozenLookup {
  return {
    host: Object.fromEntries(hostRefs.map(ref => [refKey(ref), plain(lookup.findHost!(ref))])),
    found: Object.fromEntries(refs.map(ref => [refKey(ref), plain(lookup.find(ref))])),
    defaults: Object.fromEntries(
      libraries.flatMap(library => KINDS.map(kind => [defaultKey(library, kind), plain(lookup.defaultOf(library, kind))] as const)),
    ),
  }
}

/** Drops the fields that the frozen world does not store. */
function plain<F extends Found | null>(answer: F): F {
  if (answer?.status !== 'found') return answer
  const { template, kind, meant } = answer
  const { libraryId, templateId, version, digest, owner } = template
  const pinned = { libraryId, templateId, version, digest, ...(owner === undefined ? {} : { owner }) }
  return { status: 'found', template: pinned, meant, ...(kind === undefined ? {} : { kind }) } as F
}

/** Every ref that it has an answer for, with its answer. */
export const answersIn = ({ found }: FrozenLookup): readonly (readonly [key: string, ref: PromptRef, found: Found])[] =>
  Object.entries(found).map(([key, one]) => {
    const [libraryId, templateId, version, label] = JSON.parse(key) as [string | null, string, string | null, string | null]
    return [key, { libraryId, templateId, version, label, variableOverrides: null }, one]
  })

export const lookupOf = ({ found, defaults, host }: FrozenLookup): Lookup => ({
  find: ref => found[refKey(ref)] ?? { status: 'missing' },
  ...(host === undefined ? {} : { findHost: ref => host[refKey(ref)] ?? { status: 'missing' } }),
  defaultOf: (libraryId, kind) => defaults[defaultKey(libraryId, kind)] ?? null,
})
