// The front door. `onbook()` opens a record in this process, `connect()` a host elsewhere: the same interface, `Book`.
import type { FunctionTool } from './book/function-tools.ts'
import { type Reply, sayTo } from './book/say.ts'
import { type Client, type ClientOptions, createClient } from './client/index.ts'
import type { ChatModel } from './ports.ts'

export interface Book extends Client {
  /** Sends a message to a session and waits for its reply. Creates the session when it does not exist. */
  say(session: string, text: string, options?: { readonly signal?: AbortSignal }): Promise<Reply>
  /** Answers a request as the host would. Mount it in a server of your own. */
  readonly fetch: typeof globalThis.fetch
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface OnbookOptions {
  /** Folder of the record. Default: `.onbook` here, or in the nearest folder above that has one. */
  readonly data?: string
  /** `provider/model` for nodes and sessions that name none, for example `anthropic/claude-sonnet-4-5`. */
  readonly model?: string
  /** Models of the application, in place of the providers that the host file names. */
  readonly models?: ChatModel
  /** Functions that models may call. */
  readonly tools?: readonly FunctionTool[]
  /** File of the operator's policy. Default: `onbook.policy.yaml` here, where there is one. */
  readonly policy?: string
  /** File of the host's configuration. Default: `onbook.host.yaml` here, where there is one. */
  readonly config?: string
  /** Folder that agents work on. Default: none. */
  readonly repo?: string
  /** File of scripted replies, for the provider `scripted`. */
  readonly script?: string
  /** Name of the application in the record. Default: the user of this process. */
  readonly actor?: string
  readonly tenant?: string
}

/** Opens a record in this process. Runs that an earlier process left open go on, unless another host works on the folder. */
export async function onbook(options: OnbookOptions = {}): Promise<Book> {
  const { embedFolder } = await import('./book/embedded.ts')
  const { client, close } = await embedFolder(options)
  return bookOf(client, close)
}

export type TestBookOptions = Omit<OnbookOptions, 'data'>

/** A book in memory, for tests. */
export async function createTestBook(options: TestBookOptions = {}): Promise<Book> {
  const { embedMemory } = await import('./book/embedded.ts')
  const { client, close } = await embedMemory(options)
  return bookOf(client, close)
}

/** A host elsewhere. Nothing is asked before the first call. */
export const connect = (options: ClientOptions & { readonly url: string }): Book => bookOf(options, async () => {})

/** A book of a client. Closing the book ends the host behind it, where this process has one. */
export function bookOf(options: ClientOptions, end: () => Promise<void>): Book {
  const client = createClient(options)
  let ended: Promise<void> | null = null
  const close = (): Promise<void> => {
    ended ??= end()
    return ended
  }
  return {
    ...client,
    fetch: options.fetch ?? globalThis.fetch,
    say: (session, text, more = {}) => sayTo(client, session, text, more),
    close,
    [Symbol.asyncDispose]: close,
  }
}
