// One message to a session, and its reply.
import { type Client, ClientError } from '../client/index.ts'
import type { RunDescription } from '../wire/onbook/runs.ts'

export interface Reply {
  readonly runId: string
  /** `completed`; or `waiting-approval`, with the approvals that a person has to answer; or `failed`. */
  readonly status: string
  /** Null where the run has not replied. */
  readonly text: string | null
  readonly approvals: RunDescription['approvals']
  readonly error?: RunDescription['error']
}

export async function sayTo(client: Client, session: string, text: string, { signal }: { readonly signal?: AbortSignal }): Promise<Reply> {
  const { runId } = await client.sessions.run(session, { input: text }).catch(async error => {
    if (!(error instanceof ClientError && error.code === 'session_missing')) throw error
    await client.sessions.create({ session })
    return client.sessions.run(session, { input: text })
  })
  const run = await settled(client, runId, signal)
  const { status, outputs, approvals, error } = run
  return { runId, status, text: textIn(outputs), approvals, ...(error === undefined ? {} : { error }) }
}

/** When the run is over, or waits for a person. */
async function settled({ runs }: Client, runId: string, signal: AbortSignal | undefined): Promise<RunDescription> {
  const limit = signal === undefined ? {} : { signal }
  for await (const { type } of runs.events(runId, { modes: ['onbook'], ...limit })) {
    if (type !== 'onbook.approval.requested') continue
    const run = await runs.get(runId, limit)
    if (run.status !== 'running') return run
  }
  return runs.get(runId, limit)
}

/** A session that is asked directly is a run of one node. */
function textIn(outputs: RunDescription['outputs']): string | null {
  const [output] = Object.values(outputs ?? {})
  if (typeof output === 'string') return output
  return output === undefined ? null : JSON.stringify(output)
}
