// A run file as a host sends it. Holds none of it.
import { Fault } from '../../errors.ts'
import { hostAnswer } from '../host/host-pages.ts'
import type { WhichHost } from '../host/which-host.ts'
import { noRun } from '../runs/leave-command.ts'

export async function* exportedBy(host: WhichHost, runId: string): AsyncIterable<Uint8Array> {
  const answer = await hostAnswer(host, `/v1/runs/${encodeURIComponent(runId)}:export`)
  if (answer.status === 404) throw noRun(runId)
  if (!answer.ok) throw await refusal(host, answer)
  try {
    yield* answer.body as unknown as AsyncIterable<Uint8Array>
  } catch (error) {
    throw new Fault('host_absent', { where: host.url, reason: (error as Error).message }, { cause: error })
  }
}

async function refusal({ url }: WhichHost, answer: Response): Promise<Fault> {
  const said = (await answer.json().catch(() => ({}))) as { readonly error?: unknown; readonly message?: unknown }
  return new Fault('host_refused', {
    where: url,
    code: String(said.error ?? answer.status),
    message: String(said.message ?? answer.statusText),
  })
}
