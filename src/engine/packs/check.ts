// Checks packs: reads, asks the validator, runs the rules. One broken file never stops the others.
import { type Finding, fixesOf, type LintContext, lintPrepared, type PreparedPack, preparePack, questionsOf } from '../../core/lint/lint.ts'
import type { Fix, PreviousVersion } from '../../core/lint/rule.ts'
import { registeredVersion } from '../../core/pack/registry.ts'
import { pointerText } from '../../core/schema/pointer.ts'
import type { Validator } from '../../ports.ts'
import { MAX_PACK_BYTES, previousPath, unreadable, type Workspace, weigh } from './pack-folder.ts'

export interface CheckedFile {
  readonly path: string
  /** The text to which the lines and columns of findings refer; null when it could not be read. */
  readonly text: string | null
  readonly findings: readonly Finding[]
  /** Mechanical fixes: also for findings beyond those that are listed. */
  readonly fixes: () => readonly Fix[]
  /** A version in the registry: its file must not be changed any more. */
  readonly registered: boolean
}

/** How many packs are under way at once: enough to keep reader, rules and validator busy. */
const WINDOW = 32

export async function* checkPacks(workspace: Workspace, validator: Validator, paths: readonly string[]): AsyncIterable<CheckedFile> {
  const load = packLoader(workspace)
  for (let start = 0; start < paths.length; start += WINDOW) {
    yield* await Promise.all(paths.slice(start, start + WINDOW).map(path => checkPack(workspace, validator, load, path)))
  }
}

type Loaded = { readonly prepared: PreparedPack; readonly text: string } | { readonly finding: Finding }
type Load = (path: string) => Promise<Loaded>

async function checkPack(workspace: Workspace, validator: Validator, load: Load, path: string): Promise<CheckedFile> {
  const loaded = await load(path)
  if ('finding' in loaded)
    return { path, text: null, findings: weigh([loaded.finding], workspace.config), fixes: () => [], registered: false }
  const { prepared, text } = loaded
  const questions = questionsOf(prepared, workspace.schemas)
  const [verdicts, previous] = await Promise.all([validator.ask(workspace.schemas, questions), loadPrevious(workspace, load, path)])
  const { agentId, version } = prepared.read.draft
  const registered = registeredVersion(workspace.registry, agentId ?? '', version ?? '')
  const context: LintContext = {
    schemas: workspace.schemas,
    config: workspace.config,
    verdicts: new Map(questions.map((question, index) => [pointerText(question.pointer), verdicts[index]!])),
    registered,
    previous,
  }
  return { path, text, findings: lintPrepared(prepared, context), fixes: () => fixesOf(prepared, context), registered: registered !== null }
}

async function loadPrevious(workspace: Workspace, load: Load, path: string): Promise<PreviousVersion | null> {
  const older = previousPath(workspace, path)
  const loaded = older === null ? null : await load(older)
  if (older === null || loaded === null || 'finding' in loaded || loaded.prepared.read.pack === null) return null
  const { pack } = loaded.prepared.read
  return { pack, path: older, schemas: registeredVersion(workspace.registry, pack.agentId, pack.version)?.schemas ?? {} }
}

/** Remembers the last few packs by path: a version is read as itself and as the one before its successor. */
function packLoader({ files }: Workspace): Load {
  const recent = new Map<string, Promise<Loaded>>()
  return path => {
    const cached = recent.get(path)
    if (cached !== undefined) return cached
    const loading = files
      .readText(path, MAX_PACK_BYTES)
      .then(
        (read): Loaded =>
          read.ok ? { prepared: preparePack(path, read.text), text: read.text } : { finding: unreadable(path, read.message) },
      )
    recent.set(path, loading)
    if (recent.size > 2 * WINDOW) recent.delete(recent.keys().next().value!)
    return loading
  }
}

export interface CheckSummary {
  readonly files: number
  readonly errors: number
  readonly warnings: number
  readonly infos: number
}

export function summarize(files: number, findings: readonly Finding[]): CheckSummary {
  const count = (severity: Finding['severity']) => findings.filter(finding => finding.severity === severity).length
  return { files, errors: count('error'), warnings: count('warning'), infos: count('info') }
}
