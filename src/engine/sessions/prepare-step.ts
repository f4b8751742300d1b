// Puts the next step together and starts it. One that cannot even be put together ends its run.
import { digestText } from '../../core/digest/digest.ts'
import type { WhichStep } from '../../core/session/commands.ts'
import { offeredTools } from '../tools/bound.ts'
import { catalogText } from './catalog-text.ts'
import { type Performing, TOO_LATE } from './performing.ts'

export async function prepareStep({ parts, place, send }: Performing, { run, step }: WhichStep): Promise<void> {
  const hostCatalog = await offeredTools(parts, place.tenant)
  const text = hostCatalog === null ? null : catalogText(hostCatalog)
  const { refusal } = await send(
    { type: 'startStep', of: { run, step }, hostCatalog: text === null ? null : digestText(text) },
    text === null ? {} : { objects: [new TextEncoder().encode(text)] },
  )
  if (refusal !== null && !TOO_LATE.includes(refusal.code))
    await send({ type: 'failRun', run, code: refusal.code, detail: refusal.message })
}
