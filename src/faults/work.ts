// Error codes of sessions, runs, roles and tools. Each message says what happened, where, and what to do.
import { fault, worded } from './fault.ts'

/** A problem of a document, with the place in it. */
export interface DocumentProblem {
  readonly pointer: string
  readonly message: string
}

export const WORK_FAULTS = {
  session_exists: worded(409, 'A session with this id exists already. Use that session, or choose another id.'),
  session_missing: worded(404, 'No session has this id. "onbook agent list" lists the sessions.'),
  run_already_active: worded(409, 'The session already has an active run. Wait until it ends, or cancel it.'),
  run_too_long: fault(
    422,
    (d: { runId: string; events: number; most: number }) =>
      `Run ${d.runId} has ${d.events} events, and a host reads at most ${d.most}. Export the run and read the file locally: "onbook replay FILE".`,
  ),
  run_missing: worded(404, 'No run has this id. "onbook run list" lists the runs.'),
  run_not_running: worded(409, 'The run is not running. This command applies only to a running run.'),
  run_not_waiting: worded(409, 'The run does not wait for input. Leave a message for its next step instead (--steer).'),
  run_exists: worded(409, 'A run with this id exists already. Use that run, or choose another id.'),
  run_ended: worded<{ problem: string; runStatus?: string }>(
    409,
    'The run has ended, and an ended run accepts no commands. Start another run, or fork this one.',
  ),
  run_paused: worded<{ problem: string; runStatus?: string }>(409, 'The run is paused. Resume it first.'),
  run_not_paused: worded<{ problem: string; runStatus?: string }>(409, 'The run is not paused, so there is nothing to resume.'),
  run_cancelling: worded<{ problem: string; runStatus?: string }>(409, 'The run is being cancelled and accepts no further commands.'),
  run_not_owned: fault(
    409,
    (d: { runId: string }) => `Another process owns run ${d.runId} now. Send the command to the host that runs on this record.`,
  ),
  run_is_replay: fault(
    409,
    (d: { runId: string }) =>
      `Run ${d.runId} is a replay and accepts no commands. To continue with real calls, branch from its source run.`,
  ),
  fork_refused: fault(422, (d: { runId: string; problem: string }) => `Run ${d.runId} cannot be forked: ${d.problem}.`),
  fork_sequence_missing: fault(
    422,
    (d: { runId: string; fromSeq: number; last: number }) =>
      `Run ${d.runId} has no event ${d.fromSeq}; its last event is ${d.last}. Fork at an event up to that one.`,
  ),
  replay_source_missing: fault(
    422,
    (d: { runId: string; what: string }) =>
      `The record of run ${d.runId} does not contain ${d.what}, and a replay makes no real calls. To continue with real calls, branch from that event.`,
  ),
  node_missing: worded(404, 'The run has no node with this id. "onbook show <run>" lists its nodes.'),
  node_not_ready: worded(409, 'The node cannot start yet, because nodes before it have not finished. Wait for them.'),
  node_not_running: worded(409, 'The node is not running. This command applies only to a running node.'),
  approval_not_yours: fault(403, (d: { problem: string }) => `${d.problem}; nothing was changed. The policy names who may decide.`),
  approval_arguments_refused: fault(
    422,
    (d: { tool: string; problem: string }) =>
      `${d.tool} does not accept these arguments: ${d.problem}. The approval is still open: decide again with other arguments.`,
  ),
  interrupt_not_found: fault(404, (d: { problem: string }) => `${d.problem}. "GET /v1/approvals" lists the open ones.`),
  reference_ambiguous: fault(
    409,
    (d: { noun: string; ref: string; known: readonly string[] }) =>
      `More than one ${d.noun} begins with "${d.ref}": ${d.known.join(', ')}. Name one with more letters of its id.`,
  ),
  approval_missing: worded(404, 'No approval has this id. "onbook approval list" lists the open ones.'),
  approval_closed: fault(
    409,
    (d: { problem: string }) => `${d.problem}. A new request has another id: "onbook approval list" lists the open ones.`,
  ),
  step_not_found: fault(
    404,
    (d: { runId: string; nodeId: string; step: number }) =>
      `Node ${d.nodeId} of run ${d.runId} has no step ${d.step}. "onbook show <run>" lists the steps.`,
  ),
  tenant_foreign: fault(403, (_: object) => 'The request names another tenant than the one of this key. Leave tenantId out.'),
  unsupported_stream_mode: fault(
    400,
    (d: { given: string; supported: readonly string[] }) =>
      `There is no stream mode "${d.given}". The modes are ${d.supported.join(', ')}. Separate several with commas; values cannot be combined.`,
  ),
  dialect_unknown: fault(
    400,
    (d: { given: string; known: readonly string[] }) =>
      `There is no dialect "${d.given}". The dialects are ${d.known.join(' and ')}; the default is onbook.`,
  ),
  run_not_attached: worded(404, 'The node of the run does not use this session. Name the session that it uses.'),
  provider_unset: worded(422, 'The session names no provider. Set one: onbook agent config <session> --provider <name>.'),
  provider_not_offered: worded(
    422,
    'The host does not offer this provider. Choose one that it offers, or configure the provider on the host.',
  ),
  model_unset: worded(422, 'The session names no model. Set one: onbook agent config <session> --model <name>.'),
  model_not_offered: worded(422, 'The provider does not offer this model on this host. Choose one that it offers.'),
  snapshot_missing: worded(409, 'The session has no workspace snapshot. Sync one: onbook agent sync <session>.'),
  run_refused: fault(
    422,
    (d: { session: string; run: number; stage: string; code: string; detail: string }) =>
      `Run ${d.run} of session ${d.session} is refused (${d.stage}, ${d.code}): ${d.detail}. Nothing was sent to a model.`,
  ),
  workspace_unset: worded(422, 'The session names no workspace. Name one: onbook agent sync <session> --workspace <name>.'),
  step_missing: worded(409, 'The step does not wait for a reply, or is not the next one. Read the run again.'),
  step_unsettled: worded(409, 'The latest step has not finished. Wait for its reply before the next step.'),
  message_refs_empty: worded(422, 'A model call needs at least one message. Send input, or give the session a prelude.'),
  tool_batch_unsettled: worded(409, 'A tool call of the batch has no result yet. Record every result first.'),
  tool_call_unknown: worded(404, 'The reply has no tool call with this id, or the call does not wait for a decision.'),
  tool_calls_too_many: worded(
    422,
    'The model requested more tool calls in one step than the host allows. Raise the limit, or change the prompt.',
  ),
  command_duplicate: worded(409, 'A message with this id waits in the session already. Do not send it again.'),
  command_not_allowed: worded(409, 'No open run of the session accepts this command. Start a run, or read the session to see its status.'),
  command_stale: worded(409, 'The command names a run or an epoch of the session that is over. Read the session again, then decide again.'),
  sync_missing: worded(
    409,
    'The sync is not open any more: it has finished, or a later one replaced it. Start another: onbook agent sync <session>.',
  ),
  name_invalid: worded(400, 'The name contains characters that are not allowed. The message says which characters are.'),
  nothing_pending: worded(409, 'No synced workspace version waits to be applied. Run "onbook agent sync <session>" first.'),
  pack_untested: worded(
    409,
    'The tests of a pack in this workspace version have not passed. Run "onbook workspace check <name>", or apply with --untested.',
  ),
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
    (d: { what: string; problem: string; problems: readonly DocumentProblem[] }) =>
      `${d.what} is not a valid workflow: ${d.problem}. Fix it and publish again.`,
  ),
  node_type_unknown: fault(
    400,
    (d: { what: string; problem: string; problems: readonly DocumentProblem[]; known: readonly string[] }) =>
      `${d.what} has a node of an unknown type: ${d.problem}.`,
  ),
  agent_invalid: fault(
    400,
    (d: { what: string; problem: string; problems: readonly DocumentProblem[] }) =>
      `${d.what} is not a valid agent: ${d.problem}. Fix it and publish again.`,
  ),
  workflow_not_found: fault(404, (d: { workflowId: string }) => `There is no workflow ${d.workflowId}. Publish it with "onbook publish".`),
  agent_not_found: fault(404, (d: { agentId: string }) => `There is no agent ${d.agentId}. Publish it with "onbook publish".`),
  definition_read_only: worded(403, 'The workflow or agent is built into the host and cannot be changed. Publish a copy under another id.'),
  role_name_invalid: worded(400, 'The name cannot be the name of a role. Use lowercase letters, digits and dashes.'),
  role_template_missing: fault(
    422,
    (d: { role: string; looked: string }) =>
      `There is no role "${d.role}". Searched ${d.looked}. "onbook role list" lists them; "onbook role init ${d.role}" writes one.`,
  ),
  role_template_invalid: fault(
    422,
    (d: {
      role: string
      where: string
      problem: string
      problems: readonly { readonly message: string; readonly position: { readonly line: number; readonly column: number } }[]
    }) => `${d.where} is not a valid role: ${d.problem}. Fix or remove it; there is no fallback.`,
  ),
  role_template_unreadable: fault(
    422,
    (d: { path: string; reason: string }) => `${d.path} cannot be read: ${d.reason}. Fix or remove it; there is no fallback.`,
  ),
  repo_unnamed: fault(
    400,
    (d: { tools: string }) =>
      `The host is configured with tools that need a repo (${d.tools}), but no repo is named. Name one with --repo DIR.`,
  ),
  repo_path_invalid: fault(
    400,
    (d: { path: string; problem: string }) => `"${d.path}" is not a valid path in the repo: ${d.problem}. Name a path from its root.`,
  ),
  repo_path_outside: fault(403, (d: { path: string }) => `${d.path} leads out of the repo. Name a path from its root, without "..".`),
  repo_path_protected: fault(
    403,
    (d: { path: string; use: string; why?: string }) => `No tool may ${d.use} ${d.path}: ${d.why ?? 'it is protected'}. Ask a person.`,
  ),
  repo_path_moved: fault(
    409,
    (d: { path: string }) => `${d.path} was moved, or is spelled differently; nothing was done. List its folder.`,
  ),
  repo_link_refused: fault(403, (d: { path: string }) => `${d.path} is a link, and links are not followed. Name its target instead.`),
  repo_unwatched: fault(500, (d: { reason: string }) => `Changes of the repo cannot be observed: ${d.reason}.`),
  command_unstartable: fault(422, (d: { reason: string }) => `The command could not be started: ${d.reason}. Check that it is installed.`),
  tool_server_missing: fault(
    404,
    (d: { server: string }) =>
      `There is no MCP server ${d.server} that you may adopt tools from. mcpServers in onbook.host.yaml names the servers, and who may adopt.`,
  ),
  tool_server_failed: fault(
    502,
    (d: { server: string; problem: string }) => `The MCP server ${d.server} ${d.problem}.`,
    'An MCP server failed, or sent something that is not MCP. The message names the server and the problem.',
  ),
  tool_server_timeout: fault(
    504,
    (d: { server: string; ms: number }) => `The MCP server ${d.server} did not answer within ${d.ms} ms. Check that it runs.`,
  ),
  tool_error: fault(
    502,
    (d: { tool: string; said: string }) => `${d.tool} failed: ${d.said}`,
    'A tool failed. The message ends with the text of the tool.',
  ),
  tool_unlisted: fault(
    404,
    (d: { server: string; tool: string }) => `Server ${d.server} lists no usable tool ${d.tool}. "onbook tool list" lists the tools.`,
  ),
  tool_unhinted: fault(
    409,
    (d: { server: string; tool: string }) =>
      `Tool ${d.tool} of server ${d.server} does not declare that it only reads (readOnlyHint); nothing was adopted. Adopt it without --reads, and grant it with "modes: [planning]" if it may be used in planning.`,
  ),
  tool_unadopted: fault(
    404,
    (d: { server: string; tool: string }) =>
      `No tool ${d.tool} is adopted from server ${d.server}. "onbook tool list" lists the adopted tools.`,
  ),
  tool_changed: fault(
    409,
    (d: { server: string; tool: string; descriptor: string }) =>
      `Tool ${d.tool} of server ${d.server} has changed and is ${d.descriptor} now; nothing was adopted. Review it again: "onbook tool list".`,
  ),
  demo_failed: fault(500, (d: { problem: string }) => `The demo stopped: ${d.problem}. To start over, remove its folder.`),
  busy: fault(
    409,
    (d: { what: string; path: string }) =>
      `Another onbook is changing ${d.what}. Try again; if no other onbook is running, remove ${d.path}.`,
  ),
} as const
