// Options that many commands share.
import type { Option } from '../commands.ts'

export const JSON_OPTION: Option = { flags: '--json', summary: 'print JSON' }
export const LIMIT: Option = { flags: '--limit <n>', summary: 'rows to print (default: 50; with --json, all)' }
export const DATA: Option = { flags: '--data <dir>', summary: 'folder of the record (default: .onbook, here or in a parent folder)' }
export const TENANT: Option = { flags: '--tenant <name>', summary: 'tenant (default: default)' }
export const MESSAGE: Option = { flags: '-m, --message <text>', summary: 'reason, kept in the record', earlier: '--why <text>' }
export const ACTOR: Option = {
  flags: '--actor <name>',
  summary: 'name for the record, such as ci:deploy (default: ONBOOK_ACTOR, else cli: and the user)',
}
export const HOST_CONFIG: Option = {
  flags: '--config <file>',
  summary: 'configuration of the host (default: onbook.host.yaml, if it exists)',
}
export const POLICY: Option = {
  flags: '--policy <file>',
  summary: 'policy file (default: onbook.policy.yaml, if it exists)',
}
export const REPO: Option = {
  flags: '--repo <dir>',
  summary:
    'repo that tools work on, and whose roles in docs/templates are read (default for roles: the folder with .onbook, else this folder)',
}
export const SCRIPT: Option = { flags: '--script <file>', summary: 'replies of the provider "scripted"' }
export const RECORDINGS: Option = { flags: '--recordings <dir>', summary: 'recorded replies of the provider "recorded"' }
export const WATCH: Option = { flags: '--watch', summary: 'print events as they happen' }
export const HOST_TIMEOUT: Option = {
  flags: '--host-timeout <seconds>',
  summary: 'seconds to wait for an answer of the host (default: 30)',
}
const KEY: Option = {
  flags: '--key <key>',
  summary: 'key of the host (default: ONBOOK_KEY, else the key in the folder, for the host that runs on it)',
}
/** For commands that work on a folder, or through a host. */
export const WHERE: readonly Option[] = [
  DATA,
  TENANT,
  { flags: '--url <url>', summary: 'URL of the host (default: ONBOOK_URL, else the host that runs on the folder, else the folder itself)' },
  KEY,
  HOST_TIMEOUT,
  JSON_OPTION,
]
/** For commands that work on the record of a folder, also while a host runs on it, or through a named host. */
export const RECORD_WHERE: readonly Option[] = [
  DATA,
  TENANT,
  { flags: '--url <url>', summary: 'URL of the host (default: ONBOOK_URL, else the folder itself)' },
  KEY,
  HOST_TIMEOUT,
  JSON_OPTION,
]
