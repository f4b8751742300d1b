// Tests a lint rule about the files beside packs, by cases as data: files, and what one rule finds in them as `file:line:column message`.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/digest/digest.ts'
import { isLookedInto, namedFiles } from '../../core/lint/layout.ts'
import { lintLayout } from '../../core/lint/lint-layout.ts'
import type { LayoutRule } from '../../core/lint/rule.ts'
import { RULES } from '../../core/lint/rules.ts'
import { claimOf } from '../../core/pack/identity.ts'
import { schemaFault } from '../../core/schema/schema-fault.ts'

export interface LayoutCase {
  readonly why: string
  /** Path → text, or JSON to be printed; null for bytes that are no text. */
  readonly files: Readonly<Record<string, Json>>
}

export interface RejectedLayout extends LayoutCase {
  readonly problems: readonly string[]
  readonly suggestions?: readonly string[]
}

export function testLayoutRule(
  rule: LayoutRule,
  { accepts, rejects }: { accepts: readonly LayoutCase[]; rejects: readonly RejectedLayout[] },
): void {
  describe(rule.name, () => {
    it.each(accepts)('accepts: $why', one => expect(run(rule, one).map(lineOf)).toEqual([]))
    it.each(rejects)('rejects: $why', one => {
      const found = run(rule, one)
      expect(found.map(lineOf)).toEqual(one.problems)
      if (one.suggestions !== undefined) expect(found.map(({ suggestion = '' }) => suggestion)).toEqual(one.suggestions)
    })
  })
}

type Found = ReturnType<typeof lintLayout>[number]
const lineOf = ({ file, line, column, message }: Found): string => `${file}:${line}:${column} ${message}`

function run({ name }: LayoutRule, { files }: LayoutCase): readonly Found[] {
  const off = { severity: 'off', options: {} } as const
  const rules = Object.fromEntries(RULES.filter(rule => rule.name !== name).map(rule => [rule.name, off]))
  const texts = new Map(Object.entries(files).flatMap(([path, content]) => (content === null ? [] : [[path, textOf(content)]])))
  const named = namedFiles(texts)
  const read = new Map([...texts].filter(([path]) => isLookedInto(path) || named.includes(path)))
  const packs = Object.keys(files).filter(path => claimOf(path) !== null)
  return lintLayout({ paths: new Set(Object.keys(files)), texts: read, packs, checkSchema: schemaFault }, { rules })
}

const textOf = (content: Json): string => (typeof content === 'string' ? content : JSON.stringify(content, null, 2))
