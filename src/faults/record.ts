// Error codes of the record, the library and workspaces. Each message says what happened, where, and what to do.
import { fault, worded } from './fault.ts'

export const RECORD_FAULTS = {
  stream_moved: fault(
    409,
    (d: { stream: string; expected: number; found: number }) =>
      `Stream ${d.stream} is at ${d.found}, not at ${d.expected}; nothing was written. Read the stream again, then decide again.`,
  ),
  stream_missing: fault(404, (d: { stream: string }) => `There is no stream named ${d.stream}. "onbook store streams" lists them.`),
  object_malformed: fault(
    422,
    (d: { digest: string; problem: string }) => `${d.digest} cannot be used here: ${d.problem}. Name an object of the right kind.`,
  ),
  object_missing: fault(404, (d: { digest: string }) => `The record has no object ${d.digest}. Check the digest.`),
  object_corrupt: fault(
    500,
    (d: { digest: string; found: string }) =>
      `Object ${d.digest} is damaged: its bytes have the digest ${d.found}. Run "onbook verify", then restore a backup.`,
  ),
  object_invalid: fault(422, (d: { problem: string }) => `An object cannot be written: ${d.problem}. Nothing was written.`),
  event_corrupt: fault(
    500,
    (d: { stream: string; seq: number }) => `Event ${d.seq} of stream ${d.stream} cannot be read. Run "onbook verify".`,
  ),
  entry_invalid: fault(
    422,
    (d: { stream: string; problem: string }) => `An event for stream ${d.stream} cannot be written: ${d.problem}. Nothing was written.`,
  ),
  table_unknown: fault(404, (d: { table: string }) => `There is no projection named ${d.table}. Check the name.`),
  store_missing: fault(
    404,
    (d: { path: string }) =>
      `There is no record at ${d.path}. Name its folder with --data, or create a record with "onbook publish" or "onbook host serve".`,
  ),
  run_malformed: fault(
    422,
    (d: { runId: string; reason: string }) =>
      `The record of run ${d.runId} is malformed (${d.reason}). "onbook replay" names the place; "onbook verify" checks the record.`,
  ),
  run_file_unknown: fault(
    422,
    (d: { path: string }) =>
      `${d.path} is not a run file, which begins with {"onbook":"run". "onbook run export RUN --output FILE" writes one.`,
  ),
  run_file_broken: fault(
    422,
    (d: { path: string; problem: string }) =>
      `${d.path} was changed after it was written (${d.problem}). "onbook verify ${d.path}" lists every place. Get another copy.`,
  ),
  run_file_read_only: fault(
    409,
    (d: { path: string }) =>
      `${d.path} is an exported run and read-only: it has no tables and takes no writes. Import it into a record to continue: "onbook run import".`,
  ),
  store_full: fault(507, (d: { path: string }) => `The disk of ${d.path} is full; nothing was written. Free some space and try again.`),
  store_busy: fault(503, (d: { path: string }) => `Other processes kept ${d.path} busy for too long; nothing was written. Try again.`),
  store_read_only: fault(
    500,
    (d: { path: string }) => `${d.path}, or the folder it is in, is read-only; nothing was written. Check the permissions.`,
  ),
  store_corrupt: fault(
    500,
    (d: { path: string; reason: string }) =>
      `${d.path} is damaged (${d.reason}). Keep the file, and restore a backup beside it with "onbook store restore".`,
  ),
  store_altered: fault(
    500,
    (d: { path: string; found: string }) =>
      `${d.path} holds a ${d.found}, which Onbook did not create and which can change what is written. It was not opened for writing. Keep the file as evidence, see "onbook verify", and restore a backup with "onbook store restore".`,
  ),
  store_failed: fault(500, (d: { path: string; reason: string }) => `${d.path} could not be read or written: ${d.reason}.`),
  store_changed: fault(
    409,
    (d: { path: string }) =>
      `Another version of Onbook has rebuilt the projections of ${d.path}; nothing was written. Open it with that version.`,
  ),
  store_older: fault(
    409,
    (d: { path: string; found: number; known: number }) =>
      `${d.path} has tables of version ${d.found}; this Onbook needs version ${d.known}. Run "onbook store rebuild": it upgrades the tables and keeps a copy.`,
  ),
  store_newer: fault(
    409,
    (d: { path: string; found: number; known: number }) =>
      `${d.path} was written by a newer Onbook (tables of version ${d.found}; this one knows version ${d.known}). Upgrade Onbook; nothing was changed.`,
  ),
  key_exposed: fault(
    500,
    (d: { path: string }) =>
      `${d.path} is readable by other users. Make it private (chmod 600), and rotate the key if it may have been seen.`,
  ),
  template_exists: worded(
    409,
    'This version of the template is already published with other content. Published versions never change: publish under the next version.',
  ),
  template_read_only: worded(
    403,
    "The template belongs to a library that this caller cannot change, such as an installed bundle or the host's own. Publish a copy under another name.",
  ),
  version_not_greater: worded(
    409,
    'A new version must be greater than the latest one. Choose a greater version, for example with "onbook prompt bump".',
  ),
  version_active: worded(409, 'The active version cannot be retired. Activate another version first.'),
  version_retired: worded(409, 'A retired version cannot be activated or labelled again. Use another version.'),
  prompt_template_not_found: worded(
    404,
    'No template or version matches this ref. Check the name, the version and the label, or publish the template.',
  ),
  prompt_ref_invalid: worded(400, 'The text is not a prompt ref. Write prompt:<name> or prompt:<name>@<version>.'),
  prompt_ref_ambiguous: fault(
    400,
    (d: { templateId: string; libraries: readonly string[] }) =>
      `Template ${d.templateId} is in several libraries (${d.libraries.join(', ')}): name one with libraryId.`,
  ),
  prompt_template_invalid: worded<{ problem: string; variable: string }>(
    400,
    'The document is not a valid prompt template. The message names the field.',
  ),
  prompt_variable_unresolved: worded<{ problem: string; variable: string }>(
    400,
    'A required variable has no value. Send a value, or give the variable a default.',
  ),
  prompt_variable_type_mismatch: worded<{ problem: string; variable: string }>(
    400,
    'The value of a variable has another type than the template declares. Send a value of the declared type.',
  ),
  prompt_variable_unknown: worded<{ problem: string; variable: string }>(
    400,
    'The request sets a variable that the template does not declare. Remove it, or declare it in the template.',
  ),
  bundle_refused: fault(
    422,
    (d: { what: string; problem: string; problems: readonly { readonly code: string; readonly message: string }[] }) =>
      `${d.what} was refused; nothing was written:${d.problem}`,
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
      `Workspace ${d.workspace} has no version ${d.version}; its latest is ${d.head}.`,
  ),
  workspace_path_missing: fault(
    404,
    (d: { workspace: string; version: number; path: string }) =>
      `There is no file ${d.path} in version ${d.version} of workspace ${d.workspace}. "onbook workspace show" lists the files.`,
  ),
  workspace_path_conflict: fault(
    409,
    (d: { workspace: string; path: string; problem: string }) =>
      `${d.path || 'The root'} of workspace ${d.workspace} conflicts with another change: ${d.problem}.`,
  ),
  workspace_conflict: fault(
    409,
    (d: { workspace: string; expected: number; found: number }) =>
      `Workspace ${d.workspace} is at version ${d.found}, not at ${d.expected}; nothing was written. Look at the change ("onbook workspace diff"), then decide again.`,
  ),
  workspace_not_allowed: fault(
    403,
    (d: { workspace: string; operation: string; path: string; refused: 'workspace' | 'operation' | 'path' | 'root' }) =>
      d.refused === 'root'
        ? `This root is not a version of workspace ${d.workspace}.`
        : `Not allowed: ${d.operation} ${d.path === '' ? '' : `${d.path} `}in workspace ${d.workspace} (the ${d.refused} is not granted). The policy names the grants.`,
  ),
  tree_invalid: fault(
    500,
    (d: { digest: string }) => `Object ${d.digest} is not a workspace folder, although one was expected. Run "onbook verify".`,
  ),
  range_invalid: fault(
    416,
    (d: { path: string; size: number; range: string }) =>
      `${d.path} has ${d.size} bytes; the range ${d.range} is outside. Ask for a range within its size.`,
  ),
  file_too_large: fault(
    413,
    (d: { path: string; most: number }) => `${d.path} is too large: the limit is ${d.most} bytes. Make it smaller, or leave it out.`,
  ),
  file_reserved: fault(
    422,
    (d: { path: string }) =>
      `${d.path} begins with {"$node":, which is reserved for workspace folders. Put a blank in front, or leave the file out with .onbookignore.`,
  ),
  files_too_many: fault(
    413,
    (d: { files: number; most: number }) =>
      `There are ${d.files} files; the limit of a workspace is ${d.most}. Leave some out with .onbookignore.`,
  ),
  file_changed: fault(409, (d: { path: string }) => `${d.path} changed while it was read; nothing was published. Try again.`),
  link_refused: fault(
    422,
    (d: { path: string; reason: string }) =>
      `${d.path} is a link that is not followed: ${d.reason}. Put a file in its place, or name it in .onbookignore.`,
  ),
} as const
