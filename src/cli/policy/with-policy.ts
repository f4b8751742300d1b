// Opens the policy for a command: of the host, or of the file that is named or lies in the folder.
import { readPolicyFile } from '../../book/policy-file.ts'
import { repoBindings } from '../../book/repo-bindings.ts'
import type { Book } from '../../book.ts'
import type { Input } from '../commands.ts'
import { openBook } from '../host/open-book.ts'
import { openHere } from '../host/open-here.ts'
import { workAt } from '../host/which-host.ts'

/** @param work gets the policy's book, and a text that names its source */
export async function withPolicy(input: Input, work: (policy: Book['policy'], from: string) => Promise<number>): Promise<number> {
  // A tool is bound without the folder that it would work on: nothing is called.
  const use = { record: 'optional', tools: repoBindings({ ...input, repo: input.repo ?? '.' }) } as const
  // A named file is read directly, even while a host runs: so a policy can be tried before it is active.
  const isNamed = typeof input.policy === 'string' && input.url === undefined
  const open = await (isNamed ? openHere(input, use) : openBook(input, use))
  const from =
    open.host === null
      ? ((await readPolicyFile(input)).path ?? 'no file: the default policy')
      : `the policy of the host at ${open.host.url}`
  return workAt(open, input, () => work(open.book.policy, from))
}
