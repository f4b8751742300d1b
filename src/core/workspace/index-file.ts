// Reads agent.workspace.json: which files a workspace offers under which names. It grants nothing, and a workspace may have none.
import type { Json } from '../digest/digest.ts'
import { isObject } from '../digest/is-object.ts'
import { type FileProblem, readJsonContent } from '../pack/file-content.ts'
import { checkForm, type Form } from '../pack/form.ts'
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

/** The path of a prelude: from the index, else from its name. */
export const preludePath = (index: WorkspaceIndex | null, name: string): string => index?.preludes.get(name) ?? `prompts/packs/${name}.json`

export const catalogPath = (index: WorkspaceIndex | null, name: string): string =>
  index?.catalogs.get(name) ?? `tools/catalogs/${name}.json`

/** The paths of an entry in a prelude's context: those of a group that the index names, else the entry itself. */
export const contextPaths = (index: WorkspaceIndex | null, entry: string): readonly string[] => index?.contextGroups.get(entry) ?? [entry]

/** As the file has it. */
interface Written {
  readonly prompt_packs?: Readonly<Record<string, string>>
  readonly tool_catalogs?: Readonly<Record<string, string>>
  readonly context_groups?: Readonly<Record<string, readonly string[]>>
  readonly defaults?: { readonly prompt_pack?: string | null; readonly tool_catalog?: string | null }
}

export function readIndex(bytes: Uint8Array): ReadIndex {
  const content = readJsonContent(bytes)
  if (!content.ok) return content
  const problems = [...problemsIn(content.value)]
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

const { properties } = workspaceIndexFormat

function* problemsIn(value: Json): Iterable<FileProblem> {
  yield* checkForm(value, workspaceIndexFormat as unknown as Form, 'The index').map(({ pointer, message }) => ({ pointer, message }))
  if (!isObject(value)) return
  const { schema_version: version } = value
  if (version !== undefined && version !== properties.schema_version.const)
    yield { pointer: ['schema_version'], message: `"schema_version" must be ${properties.schema_version.const}` }
}
