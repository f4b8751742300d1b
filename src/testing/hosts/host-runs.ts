// Runs of a host under test, from outside: started, waited for, read.
import type { RunEventDoc } from '../../wire/openwop/run-event.ts'
import type { TestHost } from './start-host.ts'

type Ask = TestHost['ask']

export async function startRun(ask: Ask, body: object): Promise<string> {
  const { status, body: made } = await ask('POST', '/v1/runs', { body })
  if (status !== 201) throw new Error(`POST /v1/runs answered ${status}: ${JSON.stringify(made)}`)
  return made.runId
}

export const pollRun = async (
  ask: Ask,
  runId: string,
): Promise<{ readonly events: readonly RunEventDoc[]; readonly isComplete: boolean }> =>
  (await ask('GET', `/v1/runs/${runId}/events/poll`)).body

/** All of its events, once there will be no more. */
export async function endedRun(ask: Ask, runId: string): Promise<readonly RunEventDoc[]> {
  for (;;) {
    const { events, isComplete } = await pollRun(ask, runId)
    if (isComplete) return events
    await new Promise(resume => setTimeout(resume, 5))
  }
}

export const runToEnd = async (ask: Ask, body: object): Promise<readonly RunEventDoc[]> => endedRun(ask, await startRun(ask, body))

/** Resolves when the run has this status. */
export async function runIs(ask: Ask, runId: string, status: string): Promise<Awaited<ReturnType<Ask>>['body']> {
  for (;;) {
    const { body } = await ask('GET', `/v1/runs/${runId}`)
    if (body.status === status) return body
    await new Promise(resume => setTimeout(resume, 5))
  }
}
