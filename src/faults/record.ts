// How things fail: the record, the library and workspaces. Each message says what happened, where, and what to do.
import { fault } from './fault.ts'

export const RECORD_FAULTS = {
  stream_moved: fault(
    409,
    (d: { stream: string; expected: number; found: number }) =>
      `Stream ${d.stream} is at ${d.found}, not at ${d.expected}; nothing was written. Read it again and decide anew.`,
  ),
  stream_missing: fault(404, (d: { stream: string }) => `There is no stream named ${d.stream}. "onbook streams" lists them.`),
  object_unfit: fault(422, (d: { digest: string; problem: string }) => `${d.digest} cannot be used here: ${d.problem}.`),
  object_missing: fault(404, (d: { digest: string }) => `No object named ${d.digest}.`),
  object_corrupt: fault(500, (d: { digest: string; found: string }) => `Object ${d.digest} holds bytes named ${d.found}.`),
  object_invalid: fault(422, (d: { problem: string }) => `An object cannot be written: ${d.problem}. Nothing was written.`),
  event_corrupt: fault(
    500,
    (d: { stream: string; seq: number }) => `Event ${d.seq} of stream ${d.stream} cannot be read. Run "onbook verify".`,
  ),
  entry_invalid: fault(
    422,
    (d: { stream: string; problem: string }) => `An event for stream ${d.stream} cannot be written: ${d.problem}. Nothing was written.`,
  ),
  table_unknown: fault(404, (d: { table: string }) => `There is no projection named ${d.table}.`),
  store_missing: fault(
    404,
    (d: { path: string }) =>
      `There is no record at ${d.path}. Name the folder it is in with --data; "onbook publish" and "onbook serve" make one.`,
  ),
  run_unfit: fault(
    422,
    (d: { runId: string; reason: string }) =>
      `Run ${d.runId} says something that no run says (${d.reason}). "onbook replay" names the place; "onbook verify" checks the record.`,
  ),
  run_file_unknown: fault(
    422,
    (d: { path: string }) => `${d.path} is no run file: one begins with {"onbook":"run". "onbook export RUN --output FILE" writes one.`,
  ),
  run_file_broken: fault(
    422,
    (d: { path: string; problem: string }) =>
      `${d.path} is not the run file that was written (${d.problem}). "onbook verify ${d.path}" lists every place; ask for another copy.`,
  ),
  run_file_read_only: fault(
    409,
    (d: { path: string }) => `${d.path} is an exported run: it can be read, and nothing can be written to it or asked of its tables.`,
  ),
  store_full: fault(507, (d: { path: string }) => `The disk of ${d.path} is full; nothing was written. Make room and try again.`),
  store_busy: fault(503, (d: { path: string }) => `Other processes kept ${d.path} busy for too long; nothing was written. Try again.`),
  store_read_only: fault(500, (d: { path: string }) => `${d.path}, or the folder it is in, cannot be written to; nothing was written.`),
  store_corrupt: fault(
    500,
    (d: { path: string; reason: string }) =>
      `${d.path} is damaged (${d.reason}). Keep the file, and restore a backup beside it with "onbook restore".`,
  ),
  store_altered: fault(
    500,
    (d: { path: string; found: string }) =>
      `${d.path} holds a ${d.found}, which Onbook did not create and which can change what is written. It was not opened for writing. Keep the file as evidence, see "onbook verify", and restore a backup with "onbook restore".`,
  ),
  store_failed: fault(500, (d: { path: string; reason: string }) => `${d.path} could not be read or written: ${d.reason}.`),
  store_changed: fault(
    409,
    (d: { path: string }) =>
      `Another version of Onbook has made the projections of ${d.path} anew; nothing was written. Open it again with that version.`,
  ),
  store_older: fault(
    409,
    (d: { path: string; found: number; known: number }) =>
      `${d.path} has version ${d.found} of the tables; this Onbook has ${d.known}. Any command that writes brings it up to date and keeps a copy: "onbook rebuild".`,
  ),
  store_newer: fault(
    409,
    (d: { path: string; found: number; known: number }) =>
      `${d.path} was written by a newer Onbook (version ${d.found} of the tables; this one knows ${d.known}). Upgrade Onbook; nothing was changed.`,
  ),
  key_exposed: fault(
    500,
    (d: { path: string }) => `${d.path} can be read by others. Make it private (chmod 600), and rotate the key if it may have been seen.`,
  ),
  template_exists: fault(409, (d: { problem: string }) => `${d.problem}.`),
  template_read_only: fault(403, (d: { problem: string }) => `${d.problem}.`),
  version_not_greater: fault(409, (d: { problem: string }) => `${d.problem}.`),
  version_active: fault(409, (d: { problem: string }) => `${d.problem}.`),
  version_retired: fault(409, (d: { problem: string }) => `${d.problem}.`),
  prompt_template_not_found: fault(404, (d: { problem: string }) => `${d.problem}.`),
  prompt_ref_invalid: fault(400, (d: { problem: string }) => `${d.problem}.`),
  prompt_ref_ambiguous: fault(
    400,
    (d: { templateId: string; libraries: readonly string[] }) =>
      `Template ${d.templateId} is in several libraries (${d.libraries.join(', ')}): name one with libraryId.`,
  ),
  prompt_template_invalid: fault(400, (d: { problem: string; variable: string }) => `${d.problem}.`),
  prompt_variable_unresolved: fault(400, (d: { problem: string; variable: string }) => `${d.problem}.`),
  prompt_variable_type_mismatch: fault(400, (d: { problem: string; variable: string }) => `${d.problem}.`),
  prompt_variable_unknown: fault(400, (d: { problem: string; variable: string }) => `${d.problem}.`),
  bundle_refused: fault(
    422,
    (d: { what: string; problem: string; problems: readonly { readonly code: string; readonly message: string }[] }) =>
      `${d.what} is refused; nothing was written:${d.problem}`,
  ),
  workspace_name_invalid: fault(
    400,
    (d: { name: string }) => `"${d.name}" cannot name a workspace: use 1 to 128 letters, digits, dots, dashes and tildes.`,
  ),
  workspace_path_invalid: fault(
    400,
    (d: { path: string }) =>
      `"${d.path}" is not a path in a workspace: names of letters, digits, dots, dashes and tildes, with single slashes between them. Other names are written as ~ and the hex of their UTF-8.`,
  ),
  workspace_path_reserved: fault(
    400,
    (d: { path: string }) =>
      `"${d.path}" cannot be a file of a workspace: after a checkout, git or Onbook would read it as its own configuration. Leave it out of the workspace.`,
  ),
  workspace_missing: fault(404, (d: { workspace: string }) => `There is no workspace ${d.workspace}. "onbook workspace list" lists them.`),
  workspace_version_missing: fault(
    404,
    (d: { workspace: string; version: number; head: number }) =>
      `Workspace ${d.workspace} has no version ${d.version}; its newest is ${d.head}.`,
  ),
  workspace_path_missing: fault(
    404,
    (d: { workspace: string; version: number; path: string }) =>
      `There is no ${d.path} in version ${d.version} of workspace ${d.workspace}.`,
  ),
  workspace_path_conflict: fault(
    409,
    (d: { workspace: string; path: string; problem: string }) => `${d.path || 'The root'} of workspace ${d.workspace}: ${d.problem}.`,
  ),
  workspace_conflict: fault(
    409,
    (d: { workspace: string; expected: number; found: number }) =>
      `Workspace ${d.workspace} is at version ${d.found}, not at ${d.expected}; nothing was written. Look at what changed and decide anew.`,
  ),
  workspace_not_allowed: fault(
    403,
    (d: { workspace: string; operation: string; path: string; refused: 'workspace' | 'operation' | 'path' | 'root' }) =>
      d.refused === 'root'
        ? `This root is no version of workspace ${d.workspace}.`
        : `Not allowed: ${d.operation} ${d.path === '' ? '' : `${d.path} `}in workspace ${d.workspace} (the ${d.refused} is not among those that were granted).`,
  ),
  tree_invalid: fault(
    500,
    (d: { digest: string }) => `Object ${d.digest} should be a folder of a workspace and is not. Run "onbook verify".`,
  ),
  range_invalid: fault(
    416,
    (d: { path: string; size: number; range: string }) => `${d.path} has ${d.size} bytes; ${d.range} is not a range of them.`,
  ),
  file_too_large: fault(413, (d: { path: string; most: number }) => `${d.path} is too large: a file may have ${d.most} bytes.`),
  file_reserved: fault(
    422,
    (d: { path: string }) =>
      `${d.path} begins with {"$node":, as only the folders of a workspace do. Put a blank in front, or leave it out with .onbookignore.`,
  ),
  files_too_many: fault(413, (d: { files: number; most: number }) => `There are ${d.files} files; a workspace may have ${d.most}.`),
  file_changed: fault(409, (d: { path: string }) => `${d.path} was changed while it was read; nothing was published. Try again.`),
  link_refused: fault(
    422,
    (d: { path: string; reason: string }) =>
      `${d.path} is a link that is not followed: ${d.reason}. Put a file in its place, or name it in .onbookignore.`,
  ),
} as const
