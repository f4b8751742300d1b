// How things fail: sessions, runs, roles and tools. Each message says what happened, where, and what to do.
import { fault } from './fault.ts'

/** Something that is wrong with a document, and where in it. */
export interface DocumentProblem {
  readonly pointer: string
  readonly message: string
}

export const WORK_FAULTS = {
  session_exists: fault(409, (d: { problem: string }) => `${d.problem}.`),
  session_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  session_is_child: fault(409, (d: { problem: string }) => `${d.problem}.`),
  session_not_child: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_already_active: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_too_long: fault(
    422,
    (d: { runId: string; events: number; most: number }) =>
      `Run ${d.runId} has ${d.events} events, and a host looks through at most ${d.most}. Export it, and ask the file where you are: "onbook replay FILE".`,
  ),
  run_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  run_started: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_not_running: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_not_waiting: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_snapshot_missing: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_exists: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_ended: fault(409, (d: { problem: string; runStatus?: string }) => `${d.problem}.`),
  run_paused: fault(409, (d: { problem: string; runStatus?: string }) => `${d.problem}.`),
  run_not_paused: fault(409, (d: { problem: string; runStatus?: string }) => `${d.problem}.`),
  run_cancelling: fault(409, (d: { problem: string; runStatus?: string }) => `${d.problem}.`),
  run_not_owned: fault(
    409,
    (d: { runId: string }) => `Another process has taken over run ${d.runId}; ask the host that runs on this record now.`,
  ),
  run_is_replay: fault(
    409,
    (d: { runId: string }) =>
      `Run ${d.runId} is made again from a record, and takes no commands. Branch from its source to go on in earnest.`,
  ),
  fork_refused: fault(422, (d: { runId: string; problem: string }) => `Run ${d.runId} cannot be forked: ${d.problem}.`),
  fork_sequence_missing: fault(
    422,
    (d: { runId: string; fromSeq: number; last: number }) =>
      `Run ${d.runId} has no event ${d.fromSeq}: its last is ${d.last}. Fork from one that it has.`,
  ),
  replay_source_missing: fault(
    422,
    (d: { runId: string; what: string }) =>
      `Nothing is on record of ${d.what} in run ${d.runId}, and nobody is asked in its place. Branch from there to go on in earnest.`,
  ),
  node_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  node_not_ready: fault(409, (d: { problem: string }) => `${d.problem}.`),
  node_not_running: fault(409, (d: { problem: string }) => `${d.problem}.`),
  approval_not_yours: fault(403, (d: { problem: string }) => `${d.problem}; nothing was changed. The policy says who may.`),
  approval_arguments_refused: fault(
    422,
    (d: { tool: string; problem: string }) => `${d.tool} cannot be called so: ${d.problem}. The approval is still open.`,
  ),
  interrupt_not_found: fault(404, (d: { problem: string }) => `${d.problem}. "GET /v1/approvals" lists what is open.`),
  approval_missing: fault(404, (d: { problem: string }) => `${d.problem}.`),
  approval_closed: fault(409, (d: { problem: string }) => `${d.problem}. A new request has an id of its own: onbook approvals`),
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
  dialect_unknown: fault(
    400,
    (d: { given: string; known: readonly string[] }) =>
      `There is no dialect "${d.given}". There are ${d.known.join(' and ')}; leave it out for onbook.`,
  ),
  run_attached: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_not_attached: fault(404, (d: { problem: string }) => `${d.problem}.`),
  provider_unset: fault(422, (d: { problem: string }) => `${d.problem}.`),
  provider_not_offered: fault(422, (d: { problem: string }) => `${d.problem}.`),
  model_unset: fault(422, (d: { problem: string }) => `${d.problem}.`),
  model_not_offered: fault(422, (d: { problem: string }) => `${d.problem}.`),
  snapshot_missing: fault(409, (d: { problem: string }) => `${d.problem}.`),
  run_refused: fault(
    422,
    (d: { session: string; run: number; stage: string; code: string; detail: string }) =>
      `Run ${d.run} of session ${d.session} is refused (${d.stage}, ${d.code}): ${d.detail}. Nothing was sent to a model.`,
  ),
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
  sync_missing: fault(409, (d: { problem: string }) => `${d.problem}.`),
  name_invalid: fault(400, (d: { problem: string }) => `${d.problem}.`),
  nothing_pending: fault(409, (d: { problem: string }) => `${d.problem}.`),
  pack_untested: fault(409, (d: { problem: string }) => `${d.problem}.`),
  input_misfit: fault(
    400,
    (d: { pack: string; nodeId: string; pointer: string; problem: string }) =>
      `The input of node ${d.nodeId} does not fit the inputSchema of ${d.pack}: ${d.pointer === '' ? 'the input' : d.pointer} ${d.problem}. Correct the input, or set onMisfit: warn on the workflow or the agent.`,
  ),
  reply_misfit: fault(
    422,
    (d: { pack: string; nodeId: string; problem: string }) =>
      `The reply of node ${d.nodeId} does not fit the outputSchema of ${d.pack}: ${d.problem}. Change the prompt or the schema, or set onMisfit: warn on the workflow or the agent.`,
  ),
  workflow_invalid: fault(
    400,
    (d: { what: string; problem: string; problems: readonly DocumentProblem[] }) => `${d.what} is not a valid workflow: ${d.problem}.`,
  ),
  node_type_unknown: fault(
    400,
    (d: { what: string; problem: string; problems: readonly DocumentProblem[]; known: readonly string[] }) =>
      `${d.what} has a node that cannot run here: ${d.problem}.`,
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
  repo_unnamed: fault(
    400,
    (d: { tools: string }) => `The host is set to tools that work on a repo (${d.tools}), and no repo is named. Name it with --repo DIR.`,
  ),
  repo_path_invalid: fault(400, (d: { path: string; problem: string }) => `"${d.path}" cannot name a file here: ${d.problem}.`),
  repo_path_outside: fault(403, (d: { path: string }) => `${d.path} leads out of the repo. Name a path from its root, without "..".`),
  repo_path_protected: fault(
    403,
    (d: { path: string; use: string; why?: string }) => `No tool may ${d.use} ${d.path}: ${d.why ?? 'it is protected'}. Ask a person.`,
  ),
  repo_path_moved: fault(409, (d: { path: string }) => `${d.path} was moved, or is spelled otherwise; nothing was done. List its folder.`),
  repo_link_refused: fault(403, (d: { path: string }) => `${d.path} is a link, and is not followed. Name what it leads to.`),
  repo_unwatched: fault(500, (d: { reason: string }) => `What changes in the repo cannot be told: ${d.reason}.`),
  command_unstartable: fault(422, (d: { reason: string }) => `The command could not be started: ${d.reason}.`),
  tool_server_missing: fault(
    404,
    (d: { server: string }) =>
      `There is no server of tools ${d.server} here that you may adopt from. mcpServers in onbook.host.yaml names them, and who adopts.`,
  ),
  tool_server_failed: fault(502, (d: { server: string; problem: string }) => `The server of tools ${d.server} ${d.problem}.`),
  tool_server_timeout: fault(
    504,
    (d: { server: string; ms: number }) => `The server of tools ${d.server} did not answer within ${d.ms} ms.`,
  ),
  tool_error: fault(502, (d: { tool: string; said: string }) => `${d.tool} failed: ${d.said}`),
  tool_unlisted: fault(
    404,
    (d: { server: string; tool: string }) => `Server ${d.server} lists no tool ${d.tool} that can be used. See "onbook tools".`,
  ),
  tool_unhinted: fault(
    409,
    (d: { server: string; tool: string }) =>
      `Tool ${d.tool} of server ${d.server} does not say that it only reads (readOnlyHint); nothing was adopted. Adopt it without --reads, and grant it with "modes: [planning]" if it may be used in planning.`,
  ),
  tool_unadopted: fault(404, (d: { server: string; tool: string }) => `Nothing of the name ${d.tool} was adopted from server ${d.server}.`),
  tool_changed: fault(
    409,
    (d: { server: string; tool: string; descriptor: string }) =>
      `Tool ${d.tool} of server ${d.server} is ${d.descriptor} now; nothing was adopted. Look at it again: "onbook tools".`,
  ),
  demo_failed: fault(500, (d: { problem: string }) => `The demo could not go on: ${d.problem}. To start over, remove its folder.`),
  busy: fault(
    409,
    (d: { what: string; path: string }) => `Another onbook is changing ${d.what}. Try again; if none is running, remove ${d.path}.`,
  ),
} as const
