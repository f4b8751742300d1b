// The changes between two policies, as readable lines: added and removed items of a list, and both values of anything else.
import { diffArrays } from 'diff'
import { canonicalJson, type Json } from '../digest/digest.ts'

export interface PolicyChange {
  readonly setting: string
  readonly from: Json
  readonly to: Json
}

export function changeLines({ setting, from, to }: PolicyChange): readonly string[] {
  if (!Array.isArray(from) || !Array.isArray(to)) return [`${setting}: ${canonicalJson(from)} → ${canonicalJson(to)}`]
  const parts = diffArrays(from.map(canonicalJson), to.map(canonicalJson))
  return [`${setting}:`, ...parts.flatMap(({ value, added, removed }) => value.map(line => `${added ? '+' : removed ? '-' : ' '} ${line}`))]
}
