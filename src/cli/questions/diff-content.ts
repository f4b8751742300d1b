// Content that lies here or in the record, for onbook diff: a template of the library, a pack, any other file. Opens it, compares nothing.
import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { reasonOf } from '../../adapters/processes/reasons.ts'
import { openProductStore } from '../../book/product-store.ts'
import { tenantOf } from '../../book/record-folder.ts'
import { compareBytes, compareFiles, comparePacks, compareTemplates, packIn, templateOf, whatIn } from '../../core/diff/compare-content.ts'
import { bounded, type Differences } from '../../core/diff/difference.ts'
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import type { LibraryTemplate } from '../../core/library/template.ts'
import type { Pack } from '../../core/pack/pack.ts'
import { RUN_FILE_BEGINS } from '../../core/record/run-file.ts'
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import { findTemplate } from '../../engine/library/render-ref.ts'
import { findPack } from '../../engine/packs/pack-folder.ts'
import { loadPack } from '../../engine/packs/versions.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { locate } from '../locate.ts'
import { isPublished } from '../render.ts'

export type Content =
  | { readonly is: 'template'; readonly name: string; readonly template: LibraryTemplate }
  | { readonly is: 'pack'; readonly name: string; readonly pack: Pack; readonly file?: FileContent }
  | FileContent

/** Null for what is no text. */
type FileContent = { readonly is: 'file'; readonly name: string; readonly digest: Digest; readonly text: string | null }

/** A ref means the pack that lies here; without one, the template of the library: as `onbook prompt render` takes it. */
export async function contentOf(input: Input, given: string): Promise<Content> {
  if (!given.startsWith('prompt:')) return fileAt(given)
  if (await isPublished(input, given)) return publishedAs(input, given)
  const [target] = (await locate([])).targets
  const { pack } = await loadPack(target!.workspace, findPack(target!.workspace, given))
  return { is: 'pack', name: given, pack }
}

async function publishedAs(input: Input, given: string): Promise<Content> {
  const store = openProductStore(input)
  try {
    const { row, template } = await findTemplate(store, tenantOf(input), given, { labels: true })
    const pinned = pinnedText(row.templateId, row.version)
    return { is: 'template', name: pinned === given ? given : `${given} → ${pinned}`, template }
  } finally {
    await store.close()
  }
}

const MOST_BYTES = 16 * 1024 * 1024

async function fileAt(path: string): Promise<Content> {
  const { size } = await stat(path)
  if (size > MOST_BYTES) throw new Fault('file_unreadable', { path, reason: `it has ${size} bytes; at most ${MOST_BYTES} are read` })
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new Fault('file_unreadable', { path, reason: reasonOf(error) }, { cause: error })
  })
  const text = isUtf8(bytes) ? bytes.toString() : null
  const file: FileContent = { is: 'file', name: path, digest: digestBytes(bytes), text }
  const pack = text === null ? null : packIn(path, text)
  return pack === null ? file : { is: 'pack', name: path, pack, file }
}

/** A file, and no folder. */
export const isFile = async (path: string): Promise<boolean> => existsSync(path) && (await stat(path)).isFile()

/** By how it begins: whether it is a good one is seen when it is opened. */
export async function isRunFile(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(RUN_FILE_BEGINS.length), 0, RUN_FILE_BEGINS.length, 0)
    return buffer.toString() === RUN_FILE_BEGINS
  } finally {
    await file.close()
  }
}

/** Null where one says what a model is told and the other is something else. */
export function diffContent(a: Content, b: Content): Differences | null {
  const [one, other] = [fileOf(a), fileOf(b)]
  if (one !== undefined && other !== undefined) return told(diffFiles(one, other))
  if (a.is === 'file' || b.is === 'file') return null
  if (a.is === 'pack' && b.is === 'pack') return told(comparePacks(a.pack, b.pack))
  return told(compareTemplates(asTemplate(a), asTemplate(b)))
}

const fileOf = (content: Content): FileContent | undefined =>
  content.is === 'file' ? content : content.is === 'pack' ? content.file : undefined

/** A pack with a mistake in it is a file that can be compared. */
function diffFiles(a: FileContent, b: FileContent): ReturnType<typeof compareFiles> {
  if (a.text === null || b.text === null) return compareBytes({ what: 'file' }, a.digest, b.digest)
  return compareFiles({ what: whatIn(b.name, b.text) }, b.name, a.text, b.text)
}

const told = ({ decisions, texts, means }: ReturnType<typeof compareTemplates>): Differences => ({ ...bounded(decisions, texts), means })

const asTemplate = (content: Exclude<Content, { readonly is: 'file' }>): LibraryTemplate =>
  content.is === 'template' ? content.template : templateOf(content.pack)
