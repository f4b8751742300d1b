// Options that many commands have.
import type { Option } from './commands.ts'

export const JSON_OPTION: Option = { flags: '--json', summary: 'print JSON' }
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
export const SCRIPT: Option = { flags: '--script <file>', summary: 'what the provider "scripted" says' }
export const RECORDINGS: Option = { flags: '--recordings <dir>', summary: 'what the provider "recorded" plays back' }
