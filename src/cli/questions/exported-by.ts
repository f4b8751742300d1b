// Streams a run file from a host. Holds none of it in memory.
import { MOST_BYTES } from '../../adapters/exported-run/lines.ts'
import { Fault } from '../../errors.ts'
import { hostAnswer } from '../host/host-pages.ts'
import type { WhichHost } from '../host/which-host.ts'
import { runNotFound } from '../runs/watched-runs.ts'

/** @param most the greatest size in bytes that can be opened again */
export async function* exportedBy(host: WhichHost, runId: string, most = MOST_BYTES): AsyncIterable<Uint8Array> {
  const answer = await hostAnswer(host, `/v1/runs/${encodeURIComponent(runId)}:export`, { long: true })
  if (answer.status === 404) throw runNotFound(runId)
  if (!answer.ok) throw await refusal(host, answer)
  let left = most
  try {
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
      left -= piece.length
      if (left < 0) throw new Fault('file_too_large', { path: `what ${host.url} sends of run ${runId}`, most })
      yield piece
    }
  } catch (error) {
    if (error instanceof Fault) throw error
    throw new Fault('host_absent', { where: host.url, reason: (error as Error).message }, { cause: error })
  }
}

/** The refusal of the host, with its own code. */
export async function refusal({ url }: WhichHost, answer: Response): Promise<Fault> {
  const said = (await answer.json().catch(() => ({}))) as { readonly error?: unknown; readonly message?: unknown }
  return new Fault('host_refused', {
    where: url,
    code: String(said.error ?? answer.status),
    message: String(said.message ?? answer.statusText),
  })
}
