// Opens a book whose host is in this process: the command does the work itself, and the work ends with it.

import { embedCommand } from '../../book/command-host.ts'
import { repoBindings } from '../../book/repo-bindings.ts'
import { bookOf } from '../../book.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { faultText, visibleLines } from '../report/visible.ts'
import { checkGiven, checkProviders } from '../sessions/ready.ts'
import { answerOf } from './host-pages.ts'
import { type BookUse, type OpenBook, streamOf } from './open-book.ts'

/** Requests within this process have no time limit. */
const NO_LIMIT_MS = 2 ** 31 - 1

export async function openHere(input: Input, { judges = false, tools, ...use }: BookUse): Promise<OpenBook> {
  if (judges) await checkGiven(input)
  const { client, local, close } = await embedCommand(input, {
    ...use,
    judges,
    // A tool is called only where the policy decides about it.
    tools: tools ?? (judges ? repoBindings(input) : []),
    ready: providers => checkProviders(input, providers),
    failed: report,
  })
  const book = bookOf({ ...client, timeoutMs: NO_LIMIT_MS }, close)
  const { url = '', key = '', fetch: send } = client
  return { book, host: null, local, stream: streamOf(book, path => answerOf(send, { url, key, timeoutMs: NO_LIMIT_MS }, path)), close }
}

/** A fault is printed without a stack trace: it describes a problem of this machine, not a bug. */
const report = (error: Error): void =>
  void process.stderr.write(
    error instanceof Fault ? faultText(error) : `onbook: ${visibleLines(String(error.stack ?? error)).join('\n')}\n`,
  )
