// Compares a recorded step with its replay: its blocks, byte by byte, and everything its request names.
import { BLOCKS, type Block, type BlockSegment } from '../compose/parts.ts'
import { canonicalJson, type Digest, type Json } from '../digest/digest.ts'
import { readSegments } from '../run/reading/stored-segments.ts'
import type { PromptRecord } from '../turn/events.ts'
import type { StepRequest } from '../turn/materialize.ts'
import type { Place, TextOf } from './compare-told.ts'
import { type Divergence, type Point, textDifference } from './divergence.ts'

/** Where blocks differ, everything else follows from that, and is not named. */
export function comparePrompts(at: Place, recorded: PromptRecord, found: PromptRecord, text: TextOf): readonly Divergence[] {
  const blocks = BLOCKS.filter(block => recorded.blocks[block] !== found.blocks[block])
  if (blocks.length > 0) return blocks.map(block => compareBlock(at, block, recorded, found, text))
  const named = ({ full: promptHash, blocks: _, sent, ...rest }: PromptRecord): object => ({ promptHash, ...rest, ...sent })
  return compareFields({ ...at, point: 'prompt.composed' }, named(recorded), named(found))
}

interface Requested {
  readonly request: StepRequest
  readonly requestHash: Digest
}

/** The hash is reported when nothing else differs. @param prompted whether the prompt differs, and with it the request */
export function compareRequests(at: Place, recorded: Requested, found: Requested, prompted: boolean): readonly Divergence[] {
  const where = { ...at, point: 'step.started' } as const
  const differing = compareFields(where, recorded.request, found.request)
  const own = differing.filter(({ field }) => !prompted || (field !== 'system' && field !== 'user'))
  if (differing.length > 0 || recorded.requestHash === found.requestHash) return own
  return [{ ...where, field: 'requestHash', expected: recorded.requestHash, found: found.requestHash }]
}

function compareBlock(at: Place, block: Block, recorded: PromptRecord, found: PromptRecord, text: TextOf): Divergence {
  const [was, is] = [recorded, found].map(({ blocks }) => (blocks[block] === undefined ? '' : text(blocks[block])))
  const where = { ...at, point: 'prompt.composed', block, field: 'blocks' } as const
  if (was == null || is == null) return { ...where, expected: recorded.blocks[block] ?? null, found: found.blocks[block] ?? null }
  const { at: start, span, expected, found: made } = textDifference(was, is)
  const owner = ownerOf(found, block, start, text) ?? ownerOf(recorded, block, start, text)
  return { ...where, ...namesOf(owner), span, expected, found: made }
}

/** The segment that contains this position. */
function ownerOf({ full, segments }: PromptRecord, block: Block, at: number, text: TextOf): BlockSegment | null {
  const [all, stored] = [text(full), text(segments)]
  if (all === null || stored === null) return null
  let end = 0
  return (
    readSegments(stored, all).find(segment => {
      if (segment.block === block) end += segment.text.length
      return segment.block === block && end > at
    }) ?? null
  )
}

const namesOf = (owner: BlockSegment | null): Pick<Divergence, 'layer' | 'template' | 'variable'> => ({
  ...(owner?.layer == null ? {} : { layer: owner.layer }),
  ...(owner?.template == null ? {} : { template: owner.template }),
  ...(owner?.from == null ? {} : { variable: owner.from }),
})

/** One for each field that differs, by its name. */
export function compareFields(
  where: Omit<Divergence, 'expected' | 'found'> & { readonly point: Point },
  recorded: object,
  found: object,
): readonly Divergence[] {
  const [was, is] = [recorded as Readonly<Record<string, Json>>, found as Readonly<Record<string, Json>>]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter(field => was[field] !== is[field] && canonicalJson(was[field] ?? null) !== canonicalJson(is[field] ?? null))
    .map(field => ({ ...where, field, expected: was[field] ?? null, found: is[field] ?? null }))
}
