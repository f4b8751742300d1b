// Folder: The five tools over the folder of a repo: read, write, list, delete, run a command. They follow no link out of it, and do not decide whether a call may run.
// The five repo tools as bindings over one folder. They check paths, not callers: the gate decides whether a call may run.
import type { Binding } from '../../ports.ts'
import { commandTool } from './command-tool.ts'
import { deleteFileTool, listFilesTool, readFileTool, writeFileTool } from './file-tools.ts'
import type { RepoLimits } from './repo.ts'

export interface RepoToolOptions {
  /** Not written, not deleted, and no place to run a command in, besides what always is. From the root, or absolute. */
  readonly protect?: readonly string[]
  /** Not even read or listed: the folder of the record, when it is in the repo under another name than `.onbook`. */
  readonly hide?: readonly string[]
  /** Names of variables that commands are given besides PATH, LANG and TMPDIR. */
  readonly env?: readonly string[]
  /** Whether files with several names are read. Some package managers lay out dependencies so; a name may also lead outside. */
  readonly readHardLinks?: boolean
  /** Secrets by tenant, which no command's output shows even in part. */
  readonly secretsFile?: string
  readonly limits?: Partial<RepoLimits>
}

const LIMITS: RepoLimits = {
  // The model reads all of it, so it is kept short.
  readBytes: 256 * 1024,
  writeBytes: 1024 * 1024,
  entries: 2_000,
  commandMs: 120_000,
  outputCharacters: 256 * 1024,
}

/**
 * On Linux no file tool leaves the folder, whatever is swapped while it works. On other systems a folder that is swapped for a link in the
 * instant between look and use is followed. A command can do all that the user may whom the host runs as.
 */
export function repoTools(root: string, options: RepoToolOptions = {}): readonly Binding[] {
  const { protect = [], hide = [], env = [], readHardLinks = false, limits = {}, ...more } = options
  const repo = { folder: root, protection: { protect, hide }, limits: { ...LIMITS, ...limits }, env, readHardLinks, ...more }
  return [commandTool(repo), readFileTool(repo), writeFileTool(repo), listFilesTool(repo), deleteFileTool(repo)]
}
