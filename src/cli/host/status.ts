// onbook host status: the host that runs on this folder, if one does.
import { folderOf } from '../../book/record-folder.ts'
import { livingHost } from '../../book/running-host.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'

export async function status(input: Input): Promise<number> {
  const host = livingHost(input)
  if (input.json) printJson({ running: host !== null, ...(host === null ? {} : { url: host.url, pid: host.pid }) })
  else if (host === null)
    process.stdout.write(`${visible(`No host runs on ${folderOf(input)}.`)} Start one: onbook host serve --background\n`)
  else process.stdout.write(`${visible(host.url)}  process ${host.pid}\n`)
  return 0
}
