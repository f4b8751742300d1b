// Checks a workflow or an agent that lies outside the folder for it, as if it lay there. "onbook run FILE" takes such a file too.
import { type DocumentKind, documentKind } from '../../core/lint/document-kind.ts'
import type { Finding } from '../../core/lint/lint.ts'
import type { WorkflowShare } from '../../core/lint/workflow-share.ts'
import { folderOf } from '../../core/pack/identity.ts'
import { readDocument } from '../../core/workflow/read-document.ts'
import type { Files } from '../../ports.ts'
import { checkLayout } from './check-layout.ts'
import type { Workspace } from './pack-folder.ts'

export interface CheckedDocument {
  readonly kind: DocumentKind
  readonly findings: readonly Finding[]
  readonly shares: readonly WorkflowShare[]
}

const MOST_BYTES = 8 * 1024 * 1024

/** Null when the text is not a workflow or an agent. */
export async function checkMisplaced({ files, config, packs }: Workspace, path: string, text: string): Promise<CheckedDocument | null> {
  const kind = documentKind(path, text)
  if (kind === null) return null
  const moved = `${kind.folder}/${await freeName(files, kind.folder, path.slice(folderOf(path).length))}`
  const beside = kind.kind === 'agent' ? await promptOf(files, path, text) : []
  const extra = new Map([[moved, text], ...beside.map(([name, prompt]) => [`${kind.folder}/${name}`, prompt] as const)])
  const others = packs.filter(pack => pack !== path)
  const { findings, shares } = await checkLayout({ files, config, packs: others }, true, extra)
  const ofMoved = <T extends { readonly file: string }>(all: readonly T[]): readonly T[] => all.filter(({ file }) => file === moved)
  return { kind, findings: ofMoved(findings), shares: ofMoved(shares) }
}

/** The note to the author, for a file that is not checked as the pack that its place suggests. */
export const takenFor = (file: string, { kind, folder, key }: DocumentKind): string =>
  `${file} is checked as ${kind === 'agent' ? 'an agent' : 'a workflow'}, because it has "${key}", which no pack has. "onbook publish" takes ${kind}s from ${folder}/ only.`

/** A file in the folder keeps its name. */
async function freeName(files: Files, folder: string, name: string): Promise<string> {
  let free = name
  while ((await files.kind(`${folder}/${free}`)) !== 'none') free = `checked-${free}`
  return free
}

/** The file beside an agent that holds its prompt. */
async function promptOf(files: Files, path: string, text: string): Promise<readonly (readonly [name: string, text: string])[]> {
  const read = readDocument(path, text)
  const { systemPromptRef: name } = (read.ok ? read.value : {}) as { readonly systemPromptRef?: unknown }
  if (typeof name !== 'string') return []
  const prompt = await files.readText(`${folderOf(path)}${name}`, MOST_BYTES)
  return prompt.ok ? [[name, prompt.text]] : []
}
