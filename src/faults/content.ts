// Error codes of files, packs and models. Each message says what happened, where, and what to do.
import { fault, worded } from './fault.ts'

export const CONTENT_FAULTS = {
  usage_invalid: worded(
    400,
    'The command line, or a call of the library, cannot be carried out as written. The message names the argument; `onbook <command> --help` shows what it takes.',
  ),
  host_config_invalid: fault(
    400,
    (d: { path: string; problem: string }) => `${d.path} cannot be used: ${d.problem}. Fix the file and start again.`,
  ),
  host_default_missing: fault(
    422,
    (d: { kind: string; problem: string }) =>
      `The host does not start: hostDefaults.${d.kind} cannot be used: ${d.problem}. Publish the pack to the host's own library (onbook publish <folder> --tenant onbook), or remove the setting from the host's file.`,
  ),
  policy_invalid: fault(
    400,
    (d: { path: string; problem: string }) => `${d.path} cannot be used: ${d.problem}. Fix the file; "onbook check" names every problem.`,
  ),
  path_missing: fault(404, (d: { path: string }) => `${d.path} does not exist. Check the path.`),
  path_outside: fault(403, (d: { path: string }) => `${d.path} leads out of the workspace. Name a path inside it.`),
  path_exists: fault(409, (d: { path: string }) => `${d.path} exists already; nothing was written. Remove it, or choose another path.`),
  folder_not_empty: fault(
    409,
    (d: { path: string }) => `${d.path} is not an empty folder; nothing was written. Choose an empty or a new folder.`,
  ),
  file_unreadable: fault(
    422,
    (d: { path: string; reason: string }) => `${d.path} cannot be read: ${d.reason}.`,
    'A file cannot be read. The message names the file and the reason.',
  ),
  file_unwritable: fault(
    500,
    (d: { path: string; reason: string }) => `${d.path} cannot be written: ${d.reason}.`,
    'A file cannot be written. The message names the file and the reason.',
  ),
  pack_missing: fault(
    404,
    (d: { ref: string; known: readonly string[] }) =>
      `There is no pack "${d.ref}" here.${d.known.length === 0 ? ' There are no packs under prompts/.' : ` Known packs: ${d.known.join(', ')}.`}`,
  ),
  pack_invalid: fault(
    422,
    (d: { path: string; problem: string }) => `${d.path} is not a valid pack: ${d.problem}. Run "onbook check ${d.path}".`,
  ),
  packs_missing: fault(
    404,
    (d: { where: string }) => `No packs in ${d.where}: they are YAML files under prompts/<agent>/. Start with "onbook init".`,
  ),
  registry_invalid: fault(
    422,
    (d: { path: string; problem: string }) =>
      `${d.path} is not a valid registry: ${d.problem}. Fix the file; "onbook check" names the place.`,
  ),
  registry_refused: fault(
    409,
    (d: { reason: string; code: string }) => `${d.reason}.`,
    'The registry does not allow this change of versions. The message names the rule.',
  ),
  checks_failed: fault(
    422,
    (d: { what: string; errors: number }) =>
      `${d.what} has ${d.errors} error${d.errors === 1 ? '' : 's'}; nothing was changed. "onbook check" shows them.`,
  ),
  tests_failed: fault(
    422,
    (d: { what: string; problem: string }) => `${d.what}: ${d.problem}; nothing was changed. "onbook test" shows the examples.`,
  ),
  values_invalid: worded(
    400,
    'The values for the variables of a template cannot be used. The message names the value and what it must be.',
  ),
  template_invalid: worded(400, 'The text of a template cannot be parsed. The message names the place. Fix the text and try again.'),
  model_missing: fault(
    400,
    (d: { pack: string; tried: readonly string[] }) =>
      `There is no model for ${d.pack}. Add ${d.tried.join(' or ')}, or name a provider with --model.`,
  ),
  model_unknown: fault(
    400,
    (d: { model: string; known: readonly string[] }) =>
      `"${d.model}" does not name a model. Write <provider>:<model>, with one of these providers: ${d.known.join(', ')}.`,
  ),
  package_missing: fault(
    400,
    (d: { package: string; install: string }) => `This needs the package ${d.package}. Install it: ${d.install}.`,
  ),
  script_invalid: fault(
    422,
    (d: { path: string; problem: string }) => `${d.path}: ${d.problem}.`,
    'A script of replies is not valid. The message names the file, the place and the problem. Fix the file.',
  ),
  reply_missing: fault(
    404,
    (d: { path: string; example: string }) => `${d.path} has no reply for the example "${d.example}". Add one, or record it with --record.`,
  ),
  reply_stale: fault(
    409,
    (d: { path: string; example: string }) =>
      `The recording of "${d.example}" in ${d.path} was made for another prompt. Record it again with --record.`,
  ),
  model_failed: fault(
    502,
    (d: { model: string; reason: string }) => `${d.model} failed: ${d.reason.replace(/\.$/, '')}.`,
    'A model failed while a pack was tested. The message names the model and the reason.',
  ),
  model_key_missing: fault(400, (d: { provider: string; variable: string }) => `There is no key for ${d.provider}. Set ${d.variable}.`),
  model_address_missing: fault(
    400,
    (d: { provider: string; variable: string }) =>
      `There is no address for ${d.provider}. Set ${d.variable}, such as http://127.0.0.1:11434/v1.`,
  ),
  provider_unready: fault(
    400,
    (d: { provider: string; option: string }) =>
      `Provider "${d.provider}" has no replies to answer with. Name their file with ${d.option}; when a host runs the work, start the host with that option.`,
  ),
  model_reply_missing: fault(
    404,
    (d: { where: string; asked: string }) =>
      `${d.where} has no reply to ${d.asked}. No other model was called. Write a reply, or record one.`,
  ),
  messages_empty: fault(400, (_: object) => 'There is no message to send. A call needs at least one.'),
  tool_call_missing: fault(
    422,
    (d: { callId: string }) =>
      `A tool result names the call ${d.callId}, but no earlier message makes that call. Send the message with the call first.`,
  ),
  image_unusable: fault(422, (d: { problem: string }) => `An image cannot be sent: ${d.problem}. Replace or remove the image.`),
  secret_missing: fault(
    422,
    (d: { id: string }) => `There is no secret "${d.id}" that this call may use. Set ONBOOK_SECRET_<ID>, or add it to the secrets file.`,
  ),
  secret_short: fault(
    422,
    (d: { id: string; least: number }) =>
      `The secret "${d.id}" has fewer than ${d.least} characters and could not be removed from replies reliably. Use a longer one.`,
  ),
  provider_retryable: fault(503, (d: { problem: string }) => `The provider could not answer: ${d.problem}. Trying again may help.`),
  provider_terminal: fault(502, (d: { problem: string }) => `The provider refused: ${d.problem}. Trying again will not help.`),
  adapter_error: fault(502, (d: { problem: string }) => `The model call failed, or its reply could not be read: ${d.problem}.`),
  conversation_lost: fault(
    409,
    (d: { conversation: string; problem: string }) =>
      `The provider cannot continue conversation ${d.conversation}: ${d.problem}. Send the whole prompt again.`,
  ),
  command_missing: fault(
    400,
    (d: { provider: string; command: string; reason: string }) =>
      `The command ${d.command} of provider "${d.provider}" cannot be started: ${d.reason}. Install it, or name another under cliAgents in onbook.host.yaml.`,
  ),
  provider_closed: fault(
    403,
    (d: { provider: string }) =>
      `Provider "${d.provider}" runs a command on this host, and this tenant may not use it. Add the tenant under cliAgents in onbook.host.yaml.`,
  ),
  adapter_timeout: fault(504, (_: object) => 'The model did not answer within the time limit. Try again, or raise the limit.'),
  call_cancelled: fault(409, (_: object) => 'The model call was cancelled before the reply arrived.'),
} as const
