// Renders a ref: finds, binds and composes it. The command line, the host and runs share this code, so that a hash means the same everywhere.
import type { Sources, Trust } from '../../core/compose/bind.ts'
import { type RenderedPrompt, renderPrompt } from '../../core/compose/render-prompt.ts'
import type { Json } from '../../core/digest/digest.ts'
import type { JsonObject } from '../../core/digest/is-object.ts'
import type { SnapshotPacks } from '../../core/library/pack-set.ts'
import { type PromptRef, pinnedText, type RefDialect, readPromptRef } from '../../core/resolve/prompt-ref.ts'
import { type Found, missingReason } from '../../core/resolve/resolve.ts'
import { snapshotLookup } from '../../core/resolve/snapshot-lookup.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import { pinnedRow } from './edited-lookup.ts'
import { findAmong, loadLabels } from './lookup.ts'
import { type LibraryRow, readStored, type StoredTemplate, versionsOf } from './rows.ts'

export interface FoundTemplate extends StoredTemplate {
  readonly row: LibraryRow
  readonly ref: PromptRef
}

/** @param workspace whose templates are visible besides the tenant's @param packs of the snapshot of the agent that the answer is for */
export async function findTemplate(
  store: Store,
  tenant: string,
  ref: Json,
  dialect: RefDialect = {},
  workspace: string | null = null,
  packs: SnapshotPacks | null = null,
): Promise<FoundTemplate> {
  const read = readPromptRef(ref, dialect)
  if (!read.ok) throw new Fault('prompt_ref_invalid', { problem: read.problem })
  const rows = await versionsOf(store, tenant, read.ref.templateId, workspace)
  const labels = await loadLabels(store, tenant, [read.ref])
  const library = (ref: PromptRef) => findAmong(rows, ref, labels)
  const found: Found & { readonly row?: LibraryRow } = snapshotLookup({ find: library, defaultOf: () => null }, packs).find(read.ref)
  if (found.status === 'ambiguous') throw new Fault('prompt_ref_ambiguous', { templateId: read.ref.templateId, libraries: found.libraries })
  const row = found.status === 'found' && found.snapshot !== undefined ? pinnedRow({ tenant, libraryId: '' }, found.template) : found.row
  if (found.status !== 'found' || row === undefined)
    throw new Fault('prompt_template_not_found', {
      problem:
        found.status === 'missing' && found.versions !== undefined
          ? missingReason(read.ref, found)
          : `there is no template ${read.ref.templateId}${read.ref.version === null ? '' : `@${read.ref.version}`}`,
    })
  const { template, bytes } = await readStored(store, row)
  return { ref: read.ref, row, template, bytes }
}

export interface RenderRequest {
  readonly ref: Json
  readonly sources: Sources
  readonly trust: Trust
  readonly dialect?: RefDialect
  readonly workspace?: string | null
  /** The packs in the snapshot of the agent that the template is rendered for. */
  readonly packs?: SnapshotPacks | null
  /** The limit of the text in UTF-16 units. */
  readonly maxLength?: number
}

/**
 * Sources for rendering outside a run: the request's values serve as every source. Without a clock, so the same request has the same hash
 * tomorrow.
 */
export const previewSources = (tenant: string, given: JsonObject): Sources => ({
  input: given,
  variable: given,
  secret: given,
  context: { tenantId: tenant, ...given },
})

export interface RenderedRef {
  /** Pinned. */
  readonly ref: string
  readonly rendered: RenderedPrompt
}

export async function renderRef(store: Store, tenant: string, request: RenderRequest): Promise<RenderedRef> {
  const { ref, sources, trust, dialect = {}, workspace = null, packs = null, maxLength } = request
  const { row, template, ref: read } = await findTemplate(store, tenant, ref, dialect, workspace, packs)
  const trustOf = Object.fromEntries((template.variables ?? []).map(({ name }) => [name, trust]))
  const result = renderPrompt(template, {
    overrides: read.variableOverrides,
    sources,
    trust: trustOf,
    ...(maxLength === undefined ? {} : { maxLength }),
  })
  if (!result.ok) {
    const [first] = result.problems
    throw new Fault(first!.code, { problem: result.problems.map(({ message }) => message).join('; '), variable: first!.variable })
  }
  return { ref: pinnedText(row.templateId, row.version), rendered: result.rendered }
}
