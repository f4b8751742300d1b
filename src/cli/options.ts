// Options that many commands have.
import type { Option } from './commands.ts'

export const JSON_OPTION: Option = { flags: '--json', summary: 'print JSON' }
export const LIMIT: Option = { flags: '--limit <n>', summary: 'rows to print (default: 50; with --json, all)' }
export const DATA: Option = { flags: '--data <dir>', summary: 'the folder of the record (default: .onbook, here or in a folder above)' }
export const TENANT: Option = { flags: '--tenant <name>', summary: 'the tenant that is meant (default: default)' }
export const HOST_CONFIG: Option = {
  flags: '--config <file>',
  summary: 'what the host is set to (default: onbook.host.yaml, if it is there)',
}
export const POLICY: Option = {
  flags: '--policy <file>',
  summary: 'what sessions are allowed (default: onbook.policy.yaml, if it is there)',
}
export const REPO: Option = {
  flags: '--repo <dir>',
  summary: 'the repo that tools work on, and whose docs/templates are read (those, by default, in the folder with .onbook, else here)',
}
export const SCRIPT: Option = { flags: '--script <file>', summary: 'what the provider "scripted" says' }
export const RECORDINGS: Option = { flags: '--recordings <dir>', summary: 'what the provider "recorded" plays back' }
export const WATCH: Option = { flags: '--watch', summary: 'say what happens while it happens' }
export const HOST_TIMEOUT: Option = { flags: '--host-timeout <seconds>', summary: 'seconds that the host has for one answer (default: 30)' }
/** On a folder, or through a host. */
export const WHERE: readonly Option[] = [
  DATA,
  TENANT,
  { flags: '--url <url>', summary: 'work through this host (default: the one that runs on the folder; else on the folder itself)' },
  { flags: '--key <key>', summary: 'that opens it (default: for the host on the folder, the one in the folder)' },
  HOST_TIMEOUT,
  JSON_OPTION,
]
