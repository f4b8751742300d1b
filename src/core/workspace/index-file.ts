// agent.workspace.json: what a workspace offers, and what to take when nothing is named. It points; it grants nothing, and sync does not need it.
import type { Json } from '../digest/digest.ts'
import { type FileProblem, readJsonContent } from '../prelude/content.ts'
import { type Check, interpretSchema } from '../schema/interpret.ts'
import { workspaceIndexFormat } from './index-format.ts'

export const INDEX_FILE = 'agent.workspace.json'

export interface WorkspaceIndex {
  /** Name → path. */
  readonly preludes: ReadonlyMap<string, string>
  readonly catalogs: ReadonlyMap<string, string>
  readonly contextGroups: ReadonlyMap<string, readonly string[]>
  readonly defaults: { readonly prelude: string | null; readonly catalog: string | null }
}

export type ReadIndex =
  | { readonly ok: true; readonly index: WorkspaceIndex }
  | { readonly ok: false; readonly problems: readonly FileProblem[] }

/** As the file has it. */
interface Written {
  readonly prompt_packs?: Readonly<Record<string, string>>
  readonly tool_catalogs?: Readonly<Record<string, string>>
  readonly context_groups?: Readonly<Record<string, readonly string[]>>
  readonly defaults?: { readonly prompt_pack?: string | null; readonly tool_catalog?: string | null }
}

/** Made when it is first needed: most workspaces have no index. */
let checkFormat: Check | undefined

export function readIndex(bytes: Uint8Array): ReadIndex {
  const content = readJsonContent(bytes)
  if (!content.ok) return content
  checkFormat ??= interpretSchema(workspaceIndexFormat as unknown as Json)
  const problems = checkFormat(content.value).map(({ pointer, message }): FileProblem => ({ pointer, message: sentence(message) }))
  if (problems.length > 0) return { ok: false, problems }
  const { prompt_packs = {}, tool_catalogs = {}, context_groups = {}, defaults = {} } = content.value as unknown as Written
  return {
    ok: true,
    index: {
      preludes: new Map(Object.entries(prompt_packs)),
      catalogs: new Map(Object.entries(tool_catalogs)),
      contextGroups: new Map(Object.entries(context_groups)),
      defaults: { prelude: defaults.prompt_pack ?? null, catalog: defaults.tool_catalog ?? null },
    },
  }
}

/** The validator leaves out what it speaks of, unless that is a property. */
const sentence = (message: string): string => (/^[a-z]/.test(message) ? `it ${message}` : message)
