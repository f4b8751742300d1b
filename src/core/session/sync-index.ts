// Reads the index of one version. A sync with a broken index fails: its defaults and its paths would be guesses.
import type { Digest } from '../digest/digest.ts'
import { type FileProblem, readText } from '../pack/file-content.ts'
import { positionOf } from '../pack/place.ts'
import { readYaml } from '../pack/yaml.ts'
import { INDEX_FILE, readIndex, type WorkspaceIndex } from '../workspace/index-file.ts'
import { type Asking, ask, done, fail, type Part, type Root, readFile } from './sync-effects.ts'
import { invalid } from './sync-parts.ts'

export interface IndexPart {
  /** Null for a workspace without one. */
  readonly digest: Digest | null
  readonly index: WorkspaceIndex | null
}

export function* readIndexPart(root: Root): Asking<Part<IndexPart>> {
  const answer = yield* ask({ type: 'workspace.readRef', workspace: root.workspace, root: root.root, path: INDEX_FILE })
  if (!answer.ok) return fail('index', answer.code, answer.detail)
  if (answer.value?.kind !== 'file') return done({ digest: null, index: null })
  const file = yield* readFile(root, INDEX_FILE, 'index')
  if (file.outcome === 'failed') return file
  const { digest, bytes } = file.value
  const read = readIndex(bytes)
  if (read.ok) return done({ digest, index: read.index })
  return invalid('index', inLines(readText(bytes) ?? '', read.problems))
}

/** JSON is YAML, whose reader knows the line of every value. */
function inLines(text: string, problems: readonly FileProblem[]) {
  const document = readYaml(text)
  return problems.map(problem => {
    const { pointer, position = positionOf(text, pointer.length === 0 ? 0 : document.locate({ pointer }).start) } = problem
    return { path: INDEX_FILE, ...problem, position }
  })
}
