// Every way the house can fail on purpose. docs/reference/errors.md is generated from this table.

interface Spec<D> {
  readonly status: number
  readonly say: (details: D) => string
}
const fault = <D>(status: number, say: (details: D) => string): Spec<D> => ({ status, say })

export const FAULTS = {
  usage_invalid: fault(400, (d: { problem: string }) => `${d.problem}.`),
  host_config_invalid: fault(400, (d: { path: string; problem: string }) => `${d.path} cannot be used: ${d.problem}.`),
  path_missing: fault(404, (d: { path: string }) => `${d.path} does not exist.`),
  path_outside: fault(403, (d: { path: string }) => `${d.path} leads out of the workspace.`),
  path_exists: fault(409, (d: { path: string }) => `${d.path} exists already; nothing was written.`),
  folder_not_empty: fault(409, (d: { path: string }) => `${d.path} is not an empty folder; nothing was written.`),
  file_unreadable: fault(422, (d: { path: string; reason: string }) => `${d.path} cannot be read: ${d.reason}.`),
  file_unwritable: fault(500, (d: { path: string; reason: string }) => `${d.path} cannot be written: ${d.reason}.`),
  pack_missing: fault(
    404,
    (d: { ref: string; known: readonly string[] }) =>
      `No pack "${d.ref}" here.${d.known.length === 0 ? ' There are no packs under prompts/.' : ` There are: ${d.known.join(', ')}.`}`,
  ),
  pack_invalid: fault(
    422,
    (d: { path: string; problem: string }) => `${d.path} is not a valid pack: ${d.problem}. Run "onbook check ${d.path}".`,
  ),
  packs_missing: fault(
    404,
    (d: { where: string }) => `No packs in ${d.where}: they are YAML files under prompts/<agent>/. Start with "onbook init".`,
  ),
  registry_invalid: fault(422, (d: { path: string; problem: string }) => `${d.path} is not a registry: ${d.problem}.`),
  registry_refused: fault(409, (d: { reason: string; code: string }) => `${d.reason}.`),
  checks_failed: fault(
    422,
    (d: { what: string; errors: number }) => `${d.what} has ${d.errors} error${d.errors === 1 ? '' : 's'}; nothing was changed.`,
  ),
  tests_failed: fault(422, (d: { what: string; problem: string }) => `${d.what}: ${d.problem}; nothing was changed.`),
  values_invalid: fault(400, (d: { problem: string }) => `${d.problem}.`),
  template_invalid: fault(400, (d: { problem: string }) => `${d.problem}.`),
  model_missing: fault(
    400,
    (d: { pack: string; tried: readonly string[] }) =>
      `No model for ${d.pack}: add ${d.tried.join(' or ')}, or name a provider with --model.`,
  ),
  model_unknown: fault(
    400,
    (d: { model: string; known: readonly string[] }) =>
      `"${d.model}" names no model: write <provider>:<model>, with a provider of ${d.known.join(', ')}.`,
  ),
  package_missing: fault(
    400,
    (d: { package: string; install: string }) => `This needs the package ${d.package}. Install it: ${d.install}.`,
  ),
  script_invalid: fault(422, (d: { path: string; problem: string }) => `${d.path}: ${d.problem}.`),
  reply_missing: fault(404, (d: { path: string; example: string }) => `${d.path} has no reply for "${d.example}".`),
  reply_stale: fault(
    409,
    (d: { path: string; example: string }) =>
      `The recording of "${d.example}" in ${d.path} was made for another prompt. Record it again with --record.`,
  ),
  model_failed: fault(502, (d: { model: string; reason: string }) => `${d.model} failed: ${d.reason}.`),
  stream_moved: fault(
    409,
    (d: { stream: string; expected: number; found: number }) =>
      `Stream ${d.stream} is at ${d.found}, not at ${d.expected}; nothing was written. Read it again and decide anew.`,
  ),
  stream_missing: fault(404, (d: { stream: string }) => `There is no stream named ${d.stream}. "onbook streams" lists them.`),
  object_missing: fault(404, (d: { digest: string }) => `No object named ${d.digest}.`),
  object_corrupt: fault(500, (d: { digest: string; found: string }) => `Object ${d.digest} holds bytes named ${d.found}.`),
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
    (d: { path: string }) => `There is no record at ${d.path}. Name the folder it is in with --data, or restore a backup there.`,
  ),
  store_full: fault(507, (d: { path: string }) => `The disk of ${d.path} is full; nothing was written. Make room and try again.`),
  store_busy: fault(503, (d: { path: string }) => `Other processes kept ${d.path} busy for too long; nothing was written. Try again.`),
  store_read_only: fault(500, (d: { path: string }) => `${d.path}, or the folder it is in, cannot be written to; nothing was written.`),
  store_corrupt: fault(
    500,
    (d: { path: string; reason: string }) =>
      `${d.path} is damaged (${d.reason}). Keep the file, and restore a backup beside it with "onbook restore".`,
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
  key_missing: fault(404, (d: { id: string }) => `There is no key ${d.id}.`),
  unauthenticated: fault(401, (_: object) => 'This needs a key: Authorization: Bearer onbook_…'),
  forbidden: fault(403, (d: { scope: string }) => `This key lacks the scope ${d.scope}.`),
  workspace_membership_required: fault(403, (d: { workspaceId: string }) => `This key is not a member of workspace ${d.workspaceId}.`),
  capability_not_provided: fault(501, (d: { capability: string }) => `This host does not provide ${d.capability}.`),
  validation_error: fault(400, (d: { problem: string }) => `${d.problem}.`),
  route_missing: fault(404, (d: { method: string; path: string }) => `There is no ${d.method} ${d.path}.`),
  precondition_failed: fault(412, (d: { problem: string }) => `${d.problem}.`),
  idempotency_key_mismatch: fault(409, (d: { key: string }) => `Idempotency-Key ${d.key} was used for another request.`),
  host_unknown: fault(421, (d: { host: string }) => `This host is not called "${d.host}".`),
  origin_foreign: fault(403, (d: { origin: string }) => `Pages of ${d.origin} may not talk to this host.`),
  label_protected: fault(403, (d: { problem: string }) => `${d.problem}.`),
  label_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  busy: fault(
    409,
    (d: { what: string; path: string }) => `Another onbook is changing ${d.what}. Try again; if none is running, remove ${d.path}.`,
  ),
} as const

export type FaultCode = keyof typeof FAULTS
type Details<C extends FaultCode> = Parameters<(typeof FAULTS)[C]['say']>[0]

/** Thrown at the edge. The core returns verdicts and problems instead. */
export class Fault<C extends FaultCode = FaultCode> extends Error {
  override readonly name = 'Fault'
  readonly code: C
  readonly details: Details<C>
  readonly status: number

  constructor(code: C, details: Details<C>, options?: ErrorOptions) {
    super((FAULTS[code].say as (d: Details<C>) => string)(details), options)
    this.code = code
    this.details = details
    this.status = FAULTS[code].status
  }

  toJSON() {
    return { error: this.code, message: this.message, details: this.details }
  }
}
