// Every way the house can fail on purpose. docs/reference/errors.md is generated from this table.

interface Spec<D> {
  readonly status: number
  readonly say: (details: D) => string
}
const fault = <D>(status: number, say: (details: D) => string): Spec<D> => ({ status, say })

/** Something that is wrong with a document, and where in it. */
interface DocumentProblem {
  readonly pointer: string
  readonly message: string
}

export const FAULTS = {
  usage_invalid: fault(400, (d: { problem: string }) => `${d.problem}.`),
  host_config_invalid: fault(400, (d: { path: string; problem: string }) => `${d.path} cannot be used: ${d.problem}.`),
  policy_invalid: fault(400, (d: { path: string; problem: string }) => `${d.path} cannot be used: ${d.problem}.`),
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
    (d: { what: string; errors: number }) =>
      `${d.what} has ${d.errors} error${d.errors === 1 ? '' : 's'}; nothing was changed. "onbook check" shows them.`,
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
  model_failed: fault(502, (d: { model: string; reason: string }) => `${d.model} failed: ${d.reason.replace(/\.$/, '')}.`),
  model_key_missing: fault(400, (d: { provider: string; variable: string }) => `There is no key for ${d.provider}. Set ${d.variable}.`),
  provider_unready: fault(
    400,
    (d: { provider: string; option: string }) => `Nothing was given for provider "${d.provider}" to answer from: name it with ${d.option}.`,
  ),
  model_reply_missing: fault(
    404,
    (d: { where: string; asked: string }) => `${d.where} has no reply to ${d.asked}. Nothing else was asked: write one, or record it.`,
  ),
  messages_empty: fault(400, (_: object) => 'There is no message to send. A call needs at least one.'),
  tool_call_missing: fault(
    422,
    (d: { callId: string }) => `A tool result names the call ${d.callId}, and no message before it makes that call.`,
  ),
  image_unusable: fault(422, (d: { problem: string }) => `An image cannot be sent: ${d.problem}.`),
  secret_missing: fault(
    422,
    (d: { id: string }) => `There is no secret "${d.id}" that this call may use. Set ONBOOK_SECRET_<ID>, or add it to the file of secrets.`,
  ),
  secret_short: fault(
    422,
    (d: { id: string; least: number }) =>
      `The secret "${d.id}" has fewer than ${d.least} characters and could not be kept out of replies. Use a longer one.`,
  ),
  provider_retryable: fault(503, (d: { problem: string }) => `The provider could not answer: ${d.problem}. Trying again may help.`),
  provider_terminal: fault(502, (d: { problem: string }) => `The provider refused: ${d.problem}. Trying again will not help.`),
  adapter_error: fault(502, (d: { problem: string }) => `The call could not be made, or its answer not be read: ${d.problem}.`),
  conversation_lost: fault(
    409,
    (d: { conversation: string; problem: string }) =>
      `The provider has no conversation ${d.conversation} to go on with: ${d.problem}. Send the whole prompt again.`,
  ),
  command_missing: fault(
    400,
    (d: { provider: string; command: string; reason: string }) =>
      `The command ${d.command} of provider "${d.provider}" cannot be started: ${d.reason}. Install it, or name another under cliAgents in onbook.host.yaml.`,
  ),
  provider_closed: fault(
    403,
    (d: { provider: string }) =>
      `Provider "${d.provider}" runs a command on this host, and not for this tenant. Name the tenant under cliAgents in onbook.host.yaml.`,
  ),
  adapter_timeout: fault(504, (_: object) => 'The model did not answer in the time it was given.'),
  call_cancelled: fault(409, (_: object) => 'The call was cancelled before the model had answered.'),
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
  key_missing: fault(404, (d: { id: string }) => `There is no key ${d.id}.`),
  unauthenticated: fault(401, (_: object) => 'This needs a key: Authorization: Bearer onbook_…'),
  forbidden: fault(403, (d: { scope: string }) => `This key lacks the scope ${d.scope}.`),
  workspace_membership_required: fault(403, (d: { workspaceId: string }) => `This key is not a member of workspace ${d.workspaceId}.`),
  capability_not_provided: fault(501, (d: { capability: string }) => `This host does not provide ${d.capability}.`),
  validation_error: fault(400, (d: { problem: string }) => `${d.problem}.`),
  body_too_large: fault(413, (_: object) => 'The body is larger than this route takes. Send less.'),
  media_type_unsupported: fault(415, (_: object) => 'A body is JSON here: send it with Content-Type: application/json.'),
  internal_error: fault(500, (_: object) => 'Something went wrong here. The host has written down what.'),
  route_missing: fault(404, (d: { method: string; path: string }) => `There is no ${d.method} ${d.path}.`),
  precondition_failed: fault(412, (d: { problem: string }) => `${d.problem}.`),
  idempotency_key_mismatch: fault(409, (d: { key: string }) => `Idempotency-Key ${d.key} was used for another request.`),
  host_unknown: fault(421, (d: { host: string }) => `This host is not called "${d.host}".`),
  rate_limited: fault(429, (d: { scope: 'key' | 'address'; limit: number; retryAfterMs: number }) =>
    d.scope === 'key'
      ? `This key has asked more than ${d.limit} times within a minute. Wait ${Math.ceil(d.retryAfterMs / 1000)} s.`
      : `There were more than ${d.limit} failed attempts from this address within a minute. Wait ${Math.ceil(d.retryAfterMs / 1000)} s; a valid key works meanwhile.`,
  ),
  streams_exhausted: fault(
    429,
    (d: { scope: 'host' | 'tenant'; limit: number; retryAfterMs: number }) =>
      `${d.scope === 'host' ? 'This host' : 'This tenant'} has ${d.limit} event streams open, and may have no more. Close one, or try again later.`,
  ),
  request_slow: fault(408, (d: { ms: number }) => `The request did not arrive within ${d.ms} ms. Send it again.`),
  login_token_invalid: fault(401, (_: object) => 'This login link was used before, or is too old. Make another with "onbook keys login".'),
  bind_refused: fault(400, (d: { address: string; problem: string }) => `The host was not bound to ${d.address}: ${d.problem}.`),
  host_absent: fault(
    404,
    (d: { where: string; reason: string }) =>
      `No host answers at ${d.where}: ${d.reason}. Start one with "onbook serve", or name it with --url.`,
  ),
  origin_foreign: fault(403, (d: { origin: string }) => `Pages of ${d.origin} may not talk to this host.`),
  label_protected: fault(403, (d: { problem: string }) => `${d.problem}.`),
  label_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  session_exists: fault(409, (d: { problem: string }) => `${d.problem}.`),
  session_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  session_is_child: fault(409, (d: { problem: string }) => `${d.problem}.`),
  session_not_child: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_already_active: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  run_started: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_not_running: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_not_waiting: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_snapshot_missing: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_exists: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_ended: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_paused: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_not_paused: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_cancelling: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_not_owned: fault(
    409,
    (d: { runId: string }) => `Another process has taken over run ${d.runId}; ask the host that runs on this record now.`,
  ),
  node_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  node_not_ready: fault(409, (d: { problem: string }) => `${d.problem}.`),
  node_not_running: fault(409, (d: { problem: string }) => `${d.problem}.`),
  approval_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  step_not_found: fault(
    404,
    (d: { runId: string; nodeId: string; step: number }) => `Node ${d.nodeId} of run ${d.runId} has taken no step ${d.step}.`,
  ),
  tenant_foreign: fault(403, (_: object) => 'This key is of another tenant than the request names. Leave tenantId out.'),
  unsupported_stream_mode: fault(
    400,
    (d: { given: string; supported: readonly string[] }) =>
      `There is no stream mode "${d.given}". There are ${d.supported.join(', ')}; several with commas between them, but values only by itself.`,
  ),
  run_attached: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_not_attached: fault(404, (d: { problem: string }) => `${d.problem}.`),
  provider_unset: fault(422, (d: { problem: string }) => `${d.problem}.`),
  provider_not_offered: fault(422, (d: { problem: string }) => `${d.problem}.`),
  model_unset: fault(422, (d: { problem: string }) => `${d.problem}.`),
  model_not_offered: fault(422, (d: { problem: string }) => `${d.problem}.`),
  workspace_unset: fault(422, (d: { problem: string }) => `${d.problem}.`),
  step_missing: fault(409, (d: { problem: string }) => `${d.problem}.`),
  step_unsettled: fault(409, (d: { problem: string }) => `${d.problem}.`),
  message_refs_empty: fault(422, (d: { problem: string }) => `${d.problem}.`),
  tool_batch_active: fault(409, (d: { problem: string }) => `${d.problem}.`),
  tool_batch_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  tool_batch_unsettled: fault(409, (d: { problem: string }) => `${d.problem}.`),
  tool_call_duplicate: fault(422, (d: { problem: string }) => `${d.problem}.`),
  tool_call_unknown: fault(404, (d: { problem: string }) => `${d.problem}.`),
  tool_calls_too_many: fault(422, (d: { problem: string }) => `${d.problem}.`),
  command_duplicate: fault(409, (d: { problem: string }) => `${d.problem}.`),
  command_not_allowed: fault(409, (d: { problem: string }) => `${d.problem}.`),
  command_stale: fault(409, (d: { problem: string }) => `${d.problem}.`),
  lease_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  sync_missing: fault(409, (d: { problem: string }) => `${d.problem}.`),
  name_invalid: fault(400, (d: { problem: string }) => `${d.problem}.`),
  nothing_pending: fault(409, (d: { problem: string }) => `${d.problem}.`),
  workflow_invalid: fault(
    400,
    (d: { what: string; problem: string; problems: readonly DocumentProblem[] }) => `${d.what} is not a valid workflow: ${d.problem}.`,
  ),
  agent_invalid: fault(
    400,
    (d: { what: string; problem: string; problems: readonly DocumentProblem[] }) => `${d.what} is not a valid agent: ${d.problem}.`,
  ),
  workflow_not_found: fault(404, (d: { workflowId: string }) => `There is no workflow ${d.workflowId}. "onbook publish" makes one.`),
  agent_not_found: fault(404, (d: { agentId: string }) => `There is no agent ${d.agentId}. "onbook publish" makes one.`),
  definition_read_only: fault(403, (d: { problem: string }) => `${d.problem}.`),
  role_name_invalid: fault(400, (d: { problem: string }) => `${d.problem}.`),
  role_template_missing: fault(
    422,
    (d: { role: string; looked: string }) =>
      `There is no role "${d.role}". Looked at ${d.looked}. "onbook roles" lists them; "onbook roles init ${d.role}" writes one.`,
  ),
  role_template_invalid: fault(
    422,
    (d: {
      role: string
      where: string
      problem: string
      problems: readonly { readonly message: string; readonly position: { readonly line: number; readonly column: number } }[]
    }) => `${d.where} is not a valid role: ${d.problem}. Mend it, or remove it; nothing is used in its place.`,
  ),
  role_template_unreadable: fault(
    422,
    (d: { path: string; reason: string }) => `${d.path} cannot be read: ${d.reason}. Mend it, or remove it; nothing is used in its place.`,
  ),
  repo_path_invalid: fault(400, (d: { path: string; problem: string }) => `"${d.path}" cannot name a file here: ${d.problem}.`),
  repo_path_outside: fault(403, (d: { path: string }) => `${d.path} leads out of the repo. Name a path from its root, without "..".`),
  repo_path_protected: fault(403, (d: { path: string; use: string }) => `No tool may ${d.use} ${d.path}: it is protected. Ask a person.`),
  repo_path_moved: fault(409, (d: { path: string }) => `${d.path} was moved, or is spelled otherwise; nothing was done. List its folder.`),
  repo_link_refused: fault(403, (d: { path: string }) => `${d.path} is a link, and is not followed. Name what it leads to.`),
  command_unstartable: fault(422, (d: { reason: string }) => `The command could not be started: ${d.reason}.`),
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
