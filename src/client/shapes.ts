// Checks that an answer has the fields that the client needs. Further fields are allowed: a newer host may send more.
import type { LabelMove, LabelState } from '../wire/onbook/labels.ts'
import type { PromptTemplate } from '../wire/onbook/prompts.ts'
import { clientError } from './client-error.ts'

export const fieldOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined

const invalid = (what: string) => clientError('response_invalid', `The host answered without ${what}.`, { status: 200 })

const hasTexts = (value: unknown, ...names: readonly string[]): boolean => names.every(name => typeof fieldOf(value, name) === 'string')

export function templateIn(body: unknown): PromptTemplate {
  if (!hasTexts(body, 'templateId', 'version', 'kind', 'text')) throw invalid('a template')
  return body as PromptTemplate
}

export function listIn(body: unknown, name: string): readonly unknown[] {
  const list = fieldOf(body, name)
  if (!Array.isArray(list)) throw invalid(name)
  return list
}

/** Checks only the one field that the client needs. */
export function answerWith(body: unknown, name: string): unknown {
  if (fieldOf(body, name) === undefined) throw invalid(name)
  return body
}

export function labelsIn(body: unknown): readonly LabelState[] {
  const list = listIn(body, 'labels')
  if (!list.every(one => hasTexts(one, 'label', 'version'))) throw invalid('labels')
  return list as readonly LabelState[]
}

export const movesIn = (body: unknown): readonly LabelMove[] => listIn(body, 'history') as readonly LabelMove[]
