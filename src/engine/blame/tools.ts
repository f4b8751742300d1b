// The tools that were shown in a step, each with the file that describes it. Being shown one grants nothing.
import { atField } from '../../core/blame/places.ts'
import { canonicalJson, type Digest, type Json } from '../../core/digest/digest.ts'
import { REQUEST_IMPLEMENTATION } from '../../core/gate/capability.ts'
import { readYaml } from '../../core/pack/yaml.ts'
import type { Snapshot, SnapshotCatalog } from '../../core/session/snapshot.ts'
import { type Descriptor, descriptorPath, type PlacedTool, readCatalogFile } from '../../core/tools/catalog.ts'
import { readTools } from '../../core/tools/read-tools.ts'
import type { Store } from '../../ports.ts'
import { toolsIn } from '../turns/model-call.ts'
import type { Origin, Origins } from './origins.ts'
import type { VersionFiles } from './version-files.ts'

export interface ShownTool extends Pick<Origin, 'reason'> {
  readonly name: string
  readonly description: string
  /** `workspace`: its catalog. `mode`: added while planning. `run`: the run names it itself. `host`: what the host offers. */
  readonly from: 'workspace' | 'mode' | 'run' | 'host'
  readonly file: string | null
  readonly line: number | null
  readonly column: number | null
}

/** @param own what the run names itself; null for nothing */
export async function blameTools(
  store: Store,
  tenant: string,
  shown: readonly Digest[],
  own: readonly Digest[] | null,
  snapshot: Snapshot | null,
  origins: Origins,
): Promise<readonly ShownTool[]> {
  const read = (digest: Digest) => store.object(tenant, digest)
  const { tools } = await toolsIn(read, shown)
  const catalog = own === null ? (snapshot?.catalog ?? null) : null
  const offered = new Set(catalog === null ? [] : (await toolsIn(read, [catalog.digest])).tools.map(textOf))
  const named = new Set(own === null ? [] : (await toolsIn(read, own)).tools.map(textOf))
  const files = offered.size === 0 ? null : await origins.files()
  const placed = files === null ? [] : await placedTools(files, catalog!, snapshot!.legacy)
  const answers: ShownTool[] = []
  for (const tool of tools) {
    const text = textOf(tool)
    const { name, description } = tool
    const about = { name, description, ...NOWHERE }
    const found = placed.find(one => one.text === text)
    if (offered.has(text) && found !== undefined) answers.push({ ...about, from: 'workspace', reason: null, ...found.place })
    else if (offered.has(text))
      answers.push({ ...about, from: 'workspace', reason: (await origins.unfound('describes it so')).origin.reason })
    else if (named.has(text)) answers.push({ ...about, from: 'run', reason: 'the run names it itself' })
    else if (name === REQUEST_IMPLEMENTATION) answers.push({ ...about, from: 'mode', reason: 'it ships with Onbook, for planning' })
    else answers.push({ ...about, from: 'host', reason: 'the host offers it' })
  }
  return answers
}

const NOWHERE = { file: null, line: null, column: null }
/** The fields that a model sees; a file may hold others. */
const textOf = ({ name, description, inputSchema }: Descriptor): string =>
  canonicalJson({ name, description, inputSchema } as unknown as Json)

async function placedTools(files: VersionFiles, { name }: SnapshotCatalog, legacy: boolean) {
  const paths = legacy ? files.paths.filter(path => /^tools\/[^/]+\.json$/.test(path)) : [`tools/catalogs/${name}.json`]
  const found: { readonly text: string; readonly place: Pick<ShownTool, 'file' | 'line' | 'column'> }[] = []
  const see = (path: string, source: string, tool: Json, pointer: PlacedTool['pointer']): void => {
    const read = readTools(new TextEncoder().encode(canonicalJson([tool])))
    const place = atField(path, readYaml(source), pointer)(0)
    if (read.ok) for (const one of read.tools) found.push({ text: textOf(one), place })
  }
  for (const path of paths) {
    const source = await files.text(path)
    const catalog = source === null ? null : readCatalogFile(path, new TextEncoder().encode(source))
    if (catalog?.ok !== true) continue
    for (const { tool, pointer } of catalog.file.entries) {
      if (typeof tool !== 'string') see(path, source!, tool, pointer)
      else {
        const own = descriptorPath(tool)
        const text = await files.text(own)
        const one = text === null ? null : readCatalogFile(own, new TextEncoder().encode(text))
        if (one?.ok === true) for (const entry of one.file.entries) see(own, text!, entry.tool, entry.pointer)
      }
    }
  }
  return found
}
