// Lists the differences between a proposal and the world that a run froze: each is a cause that can be applied alone. Applies nothing.
import { canonicalJson, type Digest, digestJson, type Json } from '../../core/digest/digest.ts'
import { ACTIVE_LABEL } from '../../core/library/events.ts'
import { type Cause, causeKey, inCauseOrder } from '../../core/regression/cause.ts'
import { changedParts } from '../../core/regression/workflow-parts.ts'
import type { PromptRef } from '../../core/resolve/prompt-ref.ts'
import type { Found } from '../../core/resolve/resolve.ts'
import { rolePath } from '../../core/role/role-name.ts'
import { answersIn, type FrozenRole } from '../../core/run/frozen.ts'
import type { Failure } from '../../core/session/events.ts'
import { Fault } from '../../errors.ts'
import { pinnedRow, withEdited } from '../library/edited-lookup.ts'
import { findAmong } from '../library/lookup.ts'
import { loadRole } from '../roles/load-role.ts'
import type { LoadedFrozen } from '../runs/start/frozen.ts'
import { moveKey, type Proposal } from './proposal.ts'

/** In a steady order. */
export const causesFor = async (proposal: Proposal, frozen: LoadedFrozen): Promise<readonly Cause[]> => [
  ...workflowCauses(proposal, frozen),
  ...agentCauses(proposal, frozen),
  ...(await roleCauses(proposal, frozen)),
  ...templateCauses(proposal, frozen),
]

function workflowCauses({ workflows }: Proposal, { workflow: recorded }: LoadedFrozen): readonly Cause[] {
  const found = workflows.get(recorded.id)
  if (found === undefined) return []
  const versions = fromTo(recorded, found.workflow)
  return changedParts(recorded, found.workflow).map(part => ({ cause: 'workflow', name: recorded.id, part, file: found.file, ...versions }))
}

function agentCauses({ agents }: Proposal, { agents: recorded, workflow }: LoadedFrozen): readonly Cause[] {
  const named = new Set(workflow.nodes.flatMap(({ agentId }) => agentId ?? []))
  return [...named].sort().flatMap((name): Cause[] => {
    const [was = null, is] = [recorded.get(name), agents.get(name)]
    if (is === undefined || isSame(was, is.agent)) return []
    return [{ cause: 'agent', name, file: is.file, ...fromTo(was, is.agent) }]
  })
}

/** Includes nodes that agents added: their roles may have been read later than the others. */
async function roleCauses(proposal: Proposal, { roles, spawned }: LoadedFrozen): Promise<readonly Cause[]> {
  const causes = new Map<string, Cause>()
  for (const was of [...roles.values(), ...[...spawned.values()].map(({ role }) => role)]) {
    const { name, digest } = was
    if (!(await hasSay(proposal, was))) continue
    const is = await proposedRole(proposal, name)
    if ('digest' in is && is.digest === digest) continue
    const cause: Cause = { cause: 'role', name, file: rolePath(name), from: digest, to: 'digest' in is ? is.digest : null }
    causes.set(causeKey(cause), cause)
  }
  return [...causes.values()].sort(inCauseOrder)
}

/** A workspace without the file does not decide about the role, unless it once had the file: then it was deleted. */
async function hasSay({ digestAt, onceHeld }: Proposal, { name, source, digest }: FrozenRole): Promise<boolean> {
  const path = rolePath(name)
  return (await digestAt(path)) !== null || (source === 'repo' && (await onceHeld(path, digest)))
}

/** The shipped role, if the proposal has none of this name. */
export async function proposedRole({ roles }: Proposal, name: string): Promise<FrozenRole | Failure> {
  try {
    const { role, source, ref, digest } = await loadRole(roles, name)
    return { name, source, ref, digest, requests: role.requests, text: role.text }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { code: error.code, detail: error.message }
  }
}

/** Recorded refs that lead elsewhere under the proposal. */
function templateCauses(proposal: Proposal, { lookup }: LoadedFrozen): readonly Cause[] {
  const causes = new Map<string, Cause>()
  for (const [, ref, was] of answersIn(lookup)) {
    const cause = templateCause(proposal, ref, was)
    if (cause !== null) causes.set(causeKey(cause), cause)
  }
  return [...causes.values()].sort(inCauseOrder)
}

/** Null when a ref's target is unchanged. Refs with the same old and new target share one cause. */
export function templateCause(proposal: Proposal, ref: PromptRef, was: Found): Cause | null {
  const is = proposedFound(proposal, ref, was)
  if (is === was) return null
  const [from, to] = [was, is].map(found => (found.status === 'found' ? found.template : null))
  const file = proposal.templates.find(({ row }) => row.digest === to?.digest)?.file
  const isSameVersion = from != null && from.version === to?.version
  return {
    cause: 'template',
    name: ref.templateId,
    ...(file === undefined ? {} : { file }),
    from: from?.version ?? null,
    to: to?.version ?? null,
    ...(isSameVersion ? { sameVersion: true } : {}),
  }
}

/**
 * The answer that a recorded ref would get under the proposal. Its label, or the label `active`, points to where the proposal moves it. A template that
 * never had an active version is used in its newest. Where nothing changes, this is the recorded answer itself.
 */
export function proposedFound(proposal: Proposal, ref: PromptRef, was: Found): Found {
  const { templates, library, published } = proposal
  const edited = templates.map(({ row }) => row).filter(({ templateId }) => templateId === ref.templateId)
  const moved = movedTo(proposal, ref, was)
  if ((edited.length === 0 && moved === null) || was.status === 'ambiguous' || was.status === 'unchecked') return was
  const recorded = was.status === 'found' ? [pinnedRow(library, was.template)] : []
  const others = published.filter(({ templateId, version }) => templateId === ref.templateId && version === moved)
  const stood = was.status === 'found' && was.meant !== 'newest' ? was.template.version : null
  const version = ref.version ?? moved ?? stood
  const asked = version === null ? ref : { ...ref, label: null, version }
  const { row: _, ...is } = findAmong(withEdited([...recorded, ...others.filter(row => row.version !== stood)], edited), asked, new Map())
  const kept = is.status === 'found' && was.status === 'found' ? { ...is, meant: was.meant } : is
  return isSameFound(kept, was) ? was : kept
}

/** Where the proposal moves the label that a ref goes by; null where it moves none. */
function movedTo({ moves }: Proposal, { templateId, version, label }: PromptRef, was: Found): string | null {
  if (version !== null) return null
  if (label === null && was.status === 'found' && was.meant === 'newest') return null
  return moves.get(moveKey(templateId, label ?? ACTIVE_LABEL)) ?? null
}

interface Versioned {
  readonly version: string | null
}

/** Versions if they differ, else digests. */
function fromTo(was: Versioned | null, is: Versioned): Pick<Cause, 'from' | 'to'> {
  if (was !== null && was.version !== null && is.version !== null && was.version !== is.version)
    return { from: was.version, to: is.version }
  return { from: was === null ? null : digestOf(was), to: digestOf(is) }
}

const digestOf = (value: object): Digest => digestJson(value as unknown as Json)

/** A run of version 0.1.0 did not record the kind of a template. */
const isSameFound = (one: Found, other: Found): boolean =>
  one.status === 'found' && other.status === 'found' ? isSame(one.template, other.template) : isSame(one, other)

const isSame = (one: unknown, other: unknown): boolean => canonicalJson(one as Json) === canonicalJson(other as Json)
