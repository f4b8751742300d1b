// Options that many commands have.
import type { Option } from './commands.ts'

export const JSON_OPTION: Option = { flags: '--json', summary: 'print JSON' }
export const DATA: Option = { flags: '--data <dir>', summary: 'the folder of the record (default: .onbook)' }
export const TENANT: Option = { flags: '--tenant <name>', summary: 'whose (default: default)' }
export const HOST_CONFIG: Option = {
  flags: '--config <file>',
  summary: 'what the host is set to (default: onbook.host.yaml, if it is there)',
}
