// Reads and moves labels: names of a template that point to one of its versions.
import type { LabelMove, LabelState } from '../../wire/onbook/labels.ts'
import { clientError } from '../client-error.ts'
import type { Answer, Held, Kept, ReadOptions } from '../kept.ts'
import type { Offline } from '../offline.ts'
import { readRef } from '../ref.ts'
import { labelsIn, listIn, movesIn } from '../shapes.ts'
import type { CallOptions, Transport } from '../transport.ts'
import { type WriteOptions, writeHeaders } from '../write.ts'

export interface Labels {
  list(templateId: string, options?: ReadOptions): Promise<Answer<readonly LabelState[]>>
  /** Throws `label_missing` when the template has no such label, also when the label was removed. */
  get(templateId: string, label: string, options?: ReadOptions): Promise<Answer<LabelState>>
  move(templateId: string, label: string, version: string, options?: WriteOptions & { readonly why?: string }): Promise<void>
  remove(templateId: string, label: string, options?: WriteOptions & { readonly why?: string }): Promise<void>
  /** Oldest first. */
  history(templateId: string, options?: CallOptions): Promise<readonly LabelMove[]>
  /** Labels that only keys with the scope `labels:protect` may move. */
  protected(options?: CallOptions): Promise<readonly string[]>
  protect(label: string, options?: WriteOptions): Promise<void>
  unprotect(label: string, options?: WriteOptions): Promise<void>
}

export interface LabelParts {
  readonly transport: Transport
  readonly kept: Kept
  readonly offline: Offline | null
}

/** Requests for the labels of one template are coalesced. The timeout of the first caller applies to the shared request. */
export const timeOf = ({ timeoutMs }: CallOptions): CallOptions => (timeoutMs === undefined ? {} : { timeoutMs })

interface LabelQuestion {
  readonly method: 'PUT' | 'DELETE'
  readonly query?: string
  readonly body?: object
}

const labelsKey = (templateId: string): string => `labels ${templateId}`

export function heldLabels(
  { transport, kept }: LabelParts,
  templateId: string,
  options: ReadOptions,
): Promise<Held<readonly LabelState[]>> {
  const ask = async (signal: AbortSignal): Promise<readonly LabelState[]> =>
    labelsIn((await transport.ask({ method: 'GET', path: `/v1/labels/${templateId}`, signal, ...timeOf(options) })).body)
  return kept.fresh(labelsKey(templateId), options, ask)
}

export function pickLabel(held: Held<readonly LabelState[]>, templateId: string, label: string): Held<LabelState> {
  const value = held.value.find(one => one.label === label)
  if (value === undefined)
    throw clientError('label_missing', `${templateId} has no label ${label}.`, { status: 404, details: { templateId, label } })
  return { ...held, value }
}

export const offlineLabels = (offline: Offline | null, templateId: string): Held<readonly LabelState[]> | null => {
  const value = offline?.labels(templateId) ?? null
  return offline === null || value === null ? null : { value, at: offline.at, source: 'offline' }
}

export function createLabels(parts: LabelParts): Labels {
  const { transport, kept, offline } = parts

  const change = async (templateId: string, label: string, options: WriteOptions, asked: LabelQuestion): Promise<void> => {
    readRef({ templateId, label })
    const { headers, call } = writeHeaders(options, transport)
    const { query = '', ...rest } = asked
    try {
      await transport.ask({ ...rest, path: `/v1/labels/${templateId}/${label}${query}`, headers, ...call })
    } finally {
      kept.forget(templateId)
    }
  }

  const setProtection = async (method: 'PUT' | 'DELETE', label: string, options: WriteOptions): Promise<void> => {
    const { headers, call } = writeHeaders(options, transport)
    await transport.ask({ method, path: `/v1/protected-labels/${encodeURIComponent(label)}`, headers, ...call })
  }

  return {
    async list(templateId, options = {}) {
      readRef({ templateId })
      return kept.orStale(
        labelsKey(templateId),
        options,
        () => heldLabels(parts, templateId, options),
        () => offlineLabels(offline, templateId),
      )
    },
    async get(templateId, label, options = {}) {
      readRef({ templateId, label })
      return kept.orStale(
        `label ${templateId} ${label}`,
        options,
        async () => pickLabel(await heldLabels(parts, templateId, options), templateId, label),
        () => {
          const held = offlineLabels(offline, templateId)
          const value = held?.value.find(one => one.label === label)
          return held === null || value === undefined ? null : { ...held, value }
        },
      )
    },
    move: async (templateId, label, version, { why, ...options } = {}) =>
      change(templateId, label, options, { method: 'PUT', body: { version, ...(why === undefined ? {} : { why }) } }),
    remove: async (templateId, label, { why, ...options } = {}) =>
      change(templateId, label, options, { method: 'DELETE', ...(why === undefined ? {} : { query: `?why=${encodeURIComponent(why)}` }) }),
    async history(templateId, options = {}) {
      readRef({ templateId })
      return movesIn((await transport.ask({ method: 'GET', path: `/v1/labels/${templateId}/history`, ...options })).body)
    },
    protected: async (options = {}) =>
      listIn((await transport.ask({ method: 'GET', path: '/v1/protected-labels', ...options })).body, 'labels') as readonly string[],
    protect: (label, options = {}) => setProtection('PUT', label, options),
    unprotect: (label, options = {}) => setProtection('DELETE', label, options),
  }
}
