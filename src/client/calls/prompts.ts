// Reads and writes prompts of a host's library. Pinned versions are cached for ever, because they never change.
import type { PromptTemplate, PromptVersion } from '../../wire/onbook/prompts.ts'
import { clientError } from '../client-error.ts'
import { type Instant, instant } from '../instant.ts'
import type { Freshness, Held, ReadOptions } from '../kept.ts'
import { pinnedRef, type Ref, type RefParts, readRef } from '../ref.ts'
import { listIn, templateIn } from '../shapes.ts'
import type { CallOptions, Question } from '../transport.ts'
import { type WriteOptions, writeHeaders } from '../write.ts'
import { heldLabels, type LabelParts, offlineLabels, pickLabel, timeOf } from './labels.ts'
import { listPrompts, type PromptFilter } from './list-prompts.ts'

export interface Stored {
  readonly template: PromptTemplate
  /** The host's entity tag, for If-Match. Null when the template comes from a snapshot. */
  readonly tag: string | null
}

export interface FoundPrompt extends Stored {
  /** The ref with its version pinned. */
  readonly ref: string
  readonly freshness: Freshness
}

export type MatchedWrite = WriteOptions & { readonly ifMatch?: string }

export interface Prompts {
  list(filter?: PromptFilter, options?: CallOptions): AsyncIterable<PromptTemplate>
  get(ref: Ref, options?: ReadOptions): Promise<FoundPrompt>
  /** Every version of a template, newest first. */
  versions(templateId: string, options?: CallOptions): Promise<readonly PromptVersion[]>
  create(template: PromptTemplate, options?: WriteOptions): Promise<Stored>
  replace(template: PromptTemplate, options?: MatchedWrite): Promise<Stored>
  remove(templateId: string, options?: MatchedWrite): Promise<void>
}

const latestKey = ({ templateId, libraryId = '' }: RefParts): string => `latest ${libraryId} ${templateId}`

export function createPrompts(parts: LabelParts): Prompts {
  const { transport, kept, offline } = parts
  const pinned = new Map<string, { readonly stored: Stored; readonly at: Instant }>()

  const query = ({ version, libraryId }: RefParts): NonNullable<Question['query']> => [
    ['version', version],
    ['libraryId', libraryId],
  ]

  const remember = ({ templateId, libraryId }: RefParts, stored: Stored): void =>
    void pinned.set(pinKey({ templateId, version: stored.template.version, ...(libraryId ? { libraryId } : {}) }), {
      stored,
      at: instant(),
    })

  async function readPinned(ref: RefParts, options: ReadOptions): Promise<Held<Stored>> {
    const known = pinned.get(pinKey(ref))
    if (known !== undefined) return { value: known.stored, at: known.at, source: 'memory' }
    const template = offline?.libraryId === (ref.libraryId ?? null) ? offline.version(ref.templateId, ref.version!) : null
    if (template !== null) return { value: { template, tag: null }, at: offline!.at, source: 'offline' }
    return kept.fresh<Stored>(pinKey(ref), { ...options, maxAgeMs: 0 }, async signal => {
      const stored = await fetchStored(
        { method: 'GET', path: `/v1/prompts/${ref.templateId}`, query: query(ref), signal, ...timeOf(options) },
        ref,
      )
      remember(ref, stored)
      return stored
    })
  }

  async function fetchStored(question: Question, ref: RefParts, known: Stored | null = null): Promise<Stored> {
    const headers = known?.tag ? { 'if-none-match': known.tag } : {}
    const { status, body, tag } = await transport.ask({ ...question, headers })
    if (status === 304 && known !== null) return known
    const template = templateIn(body)
    if (template.templateId !== ref.templateId || (ref.version !== undefined && template.version !== ref.version))
      throw clientError('response_invalid', `The host was asked for ${ref.templateId} and gave something else.`, { status })
    return { template, tag }
  }

  const readLatest = (ref: RefParts, options: ReadOptions): Promise<Held<Stored>> =>
    kept.fresh<Stored>(latestKey(ref), options, async (signal, known) => {
      const stored = await fetchStored(
        { method: 'GET', path: `/v1/prompts/${ref.templateId}`, query: query(ref), signal, ...timeOf(options) },
        ref,
        known,
      )
      remember(ref, stored)
      return stored
    })

  async function readLabelled(ref: RefParts, options: ReadOptions): Promise<Held<Stored>> {
    const { value, at, source } = pickLabel(await heldLabels(parts, ref.templateId, options), ref.templateId, ref.label!)
    const { label: _, ...rest } = ref
    return { value: (await readPinned({ ...rest, version: value.version }, options)).value, at, source }
  }

  function fromOffline({ templateId, label, libraryId, ...pin }: RefParts): Held<Stored> | null {
    if (offline === null || (libraryId !== undefined && libraryId !== offline.libraryId)) return null
    const version = label === undefined ? pin.version : offlineLabels(offline, templateId)?.value.find(one => one.label === label)?.version
    if (label !== undefined && version === undefined) return null
    const template = version === undefined ? offline.latest(templateId) : offline.version(templateId, version)
    return template === null ? null : { value: { template, tag: null }, at: offline.at, source: 'offline' }
  }

  async function write(method: 'POST' | 'PUT' | 'DELETE', path: string, templateId: string, options: MatchedWrite, body?: PromptTemplate) {
    const { ifMatch, ...rest } = options
    const { headers, call } = writeHeaders(rest, transport)
    const question: Question = {
      method,
      path,
      query: [['workspaceId', options.workspaceId]],
      headers: ifMatch === undefined ? headers : { ...headers, 'if-match': ifMatch },
      ...call,
    }
    try {
      return await transport.ask(body === undefined ? question : { ...question, body })
    } finally {
      kept.forget(templateId)
    }
  }

  return {
    list: (filter = {}, options = {}) => listPrompts(transport, filter, options),
    async get(given, options = {}) {
      const ref = readRef(given)
      options.signal?.throwIfAborted()
      const read = ref.version !== undefined ? readPinned : ref.label === undefined ? readLatest : readLabelled
      const { value, freshness } = await kept.orStale(
        `prompt ${JSON.stringify(ref)}`,
        options,
        () => read(ref, options),
        () => fromOffline(ref),
      )
      return { ...value, ref: pinnedRef(value.template.templateId, value.template.version), freshness }
    },
    async versions(given, options = {}) {
      const { templateId } = readRef({ templateId: given })
      const { body } = await transport.ask({ method: 'GET', path: `/v1/prompts/${templateId}/versions`, ...options })
      return listIn(body, 'versions') as readonly PromptVersion[]
    },
    async create(template, options = {}) {
      const { body, tag } = await write('POST', '/v1/prompts', template.templateId, options, template)
      return { template: templateIn(body), tag }
    },
    async replace(template, options = {}) {
      const { templateId } = readRef({ templateId: template.templateId })
      const { body, tag } = await write('PUT', `/v1/prompts/${templateId}`, templateId, options, template)
      return { template: templateIn(body), tag }
    },
    async remove(given, options = {}) {
      const { templateId } = readRef({ templateId: given })
      await write('DELETE', `/v1/prompts/${templateId}`, templateId, options)
    },
  }
}

const pinKey = ({ templateId, version, libraryId = '' }: RefParts): string => `pinned ${libraryId} ${templateId} ${version}`
