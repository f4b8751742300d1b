// How things fail: files, packs and models: what people write and what answers it. Each message says what happened, where, and what to do.
import { fault } from './fault.ts'

export const CONTENT_FAULTS = {
  usage_invalid: fault(400, (d: { problem: string }) => `${d.problem}.`),
  host_config_invalid: fault(400, (d: { path: string; problem: string }) => `${d.path} cannot be used: ${d.problem}.`),
  host_default_missing: fault(
    422,
    (d: { kind: string; problem: string }) =>
      `The host does not start: hostDefaults.${d.kind} cannot be used: ${d.problem}. Publish the pack to the host's own library (onbook publish <folder> --tenant onbook), or remove the setting from the host's file.`,
  ),
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
  model_address_missing: fault(
    400,
    (d: { provider: string; variable: string }) =>
      `There is no address for ${d.provider}. Set ${d.variable}, such as http://127.0.0.1:11434/v1.`,
  ),
  provider_unready: fault(
    400,
    (d: { provider: string; option: string }) =>
      `Nothing was given for provider "${d.provider}" to answer from: name it with ${d.option}, or where a host does the work, start the host with it.`,
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
} as const
