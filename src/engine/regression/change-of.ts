// Finds the first byte at which a step's prompt would change: in a block, in the prelude or in the tools.
import { type Digest, digestBytes } from '../../core/digest/digest.ts'
import type { ChangedPlace, PromptChange } from '../../core/regression/cause.ts'
import { changedLines, linesOfJson } from '../../core/regression/changed-lines.ts'
import type { StepOutcome } from '../../core/regression/tally.ts'
import { comparePrompts } from '../../core/replay/compare-step.ts'
import { textDifference } from '../../core/replay/divergence.ts'
import type { StoredText } from '../../core/session/history.ts'
import type { PromptRecord, StepStarted } from '../../core/turn/events.ts'
import type { StepRequest } from '../../core/turn/materialize.ts'
import type { Store } from '../../ports.ts'
import { textsOf } from '../replay/texts-of.ts'

/** The outcome of remaking a step under a proposal. */
export type Outcome =
  | {
      readonly ok: true
      readonly prompt: PromptRecord
      readonly request: StepRequest
      readonly texts: readonly StoredText[]
      /** Catalogs that were made for the step, and that no record has. */
      readonly catalogs: readonly Uint8Array[]
      /** Whether the step might show tools that the record does not hold, because no agent saw them. */
      readonly isUntold: boolean
    }
  | { readonly ok: false; readonly isGone: boolean; readonly code: string; readonly detail: string }

type Told = Pick<StepStarted, 'prompt' | 'request'>

/** Everything that the model receives. */
const toldIn = ({ prompt, request: { prelude, tools, parameters } }: Told): string =>
  JSON.stringify([prompt.full, prelude, tools ?? [], parameters.defaults ?? null])

/** Without reading anything. */
export function outcomeOf(event: Told, made: Outcome): StepOutcome {
  if (!made.ok) return made.isGone ? 'gone' : 'failing'
  if (toldIn(made) !== toldIn(event)) return 'changed'
  return made.isUntold ? 'untold' : 'unchanged'
}

/** Two failures of the same kind are the same outcome, whatever their reasons. */
export const isSameOutcome = (one: Outcome, other: Outcome): boolean =>
  one.ok && other.ok
    ? one.isUntold === other.isUntold && toldIn(one) === toldIn(other)
    : !one.ok && !other.ok && one.isGone === other.isGone

/** The change of a step whose tools are not known. */
const UNTOLD: PromptChange = { block: 'tools', span: null, expected: null, found: null, lines: [] }

/** The change of a step that is not unchanged. */
export async function changeOf(store: Store, tenant: string, event: StepStarted, outcome: Outcome): Promise<PromptChange> {
  if (!outcome.ok) return { block: null, span: null, expected: null, found: `${outcome.code}: ${outcome.detail}`, lines: [] }
  if (outcome.prompt.full !== event.prompt.full) return blockChange(store, tenant, event, outcome)
  const [was, is] = [event.request, outcome.request]
  const fresh = new Map(outcome.catalogs.map(bytes => [digestBytes(bytes), bytes]))
  const read = async (digest: Digest) => fresh.get(digest) ?? store.object(tenant, digest)
  if (was.prelude.join() !== is.prelude.join()) return changeBeside(read, 'prelude', was.prelude, is.prelude)
  const [options, others] = [was, is].map(({ parameters: { defaults } }) => (defaults === undefined ? [] : [defaults]))
  if (options!.join() !== others!.join()) return changeBeside(read, 'prelude', options!, others!)
  const [tools, shown] = [was.tools ?? [], is.tools ?? []]
  return tools.join() === shown.join() ? UNTOLD : changeBeside(read, 'tools', tools, shown)
}

async function blockChange(
  store: Store,
  tenant: string,
  { nodeId, step, prompt }: StepStarted,
  made: Extract<Outcome, { readonly ok: true }>,
): Promise<PromptChange> {
  const text = await textsOf(store, tenant, made.texts, { told: [], prompt })
  const { block, layer, template, variable, span, expected, found } = comparePrompts(
    { sequence: 0, nodeId, step },
    prompt,
    made.prompt,
    text,
  )[0]!
  const textIn = ({ blocks }: PromptRecord): string => (blocks[block!] === undefined ? '' : (text(blocks[block!]!) ?? ''))
  return {
    block: block!,
    ...(layer === undefined ? {} : { layer }),
    ...(template === undefined ? {} : { template }),
    ...(variable === undefined ? {} : { variable }),
    span: span ?? null,
    expected: expected as string | null,
    found: found as string | null,
    lines: changedLines(textIn(prompt), textIn(made.prompt)),
  }
}

type Read = (digest: Digest) => Promise<Uint8Array>

async function changeBeside(read: Read, block: ChangedPlace, was: readonly Digest[], is: readonly Digest[]): Promise<PromptChange> {
  const [before, after] = [await textsAt(read, was), await textsAt(read, is)]
  const { span, expected, found } = textDifference(before.join('\n'), after.join('\n'))
  const lines = changedLines(before.map(linesOfJson).join('\n'), after.map(linesOfJson).join('\n'))
  return { block, span, expected, found, lines }
}

async function textsAt(read: Read, digests: readonly Digest[]): Promise<readonly string[]> {
  const texts: string[] = []
  for (const digest of digests) texts.push(new TextDecoder().decode(await read(digest)))
  return texts
}
