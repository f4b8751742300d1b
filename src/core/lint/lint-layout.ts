// Runs the rules for the files beside the packs, and gives each finding its line and column.
import { type Position, positionsIn } from '../pack/place.ts'
import { readYaml } from '../pack/yaml.ts'
import { type Config, defaultConfig } from './config.ts'
import type { FoundInFile, Layout } from './layout.ts'
import { byPlace, type Finding, firstOf, severityOf } from './lint.ts'
import { LAYOUT_RULES } from './rules.ts'

export function lintLayout(layout: Layout, config: Config = defaultConfig): readonly Finding[] {
  const place = placer(layout)
  return LAYOUT_RULES.flatMap((rule): Finding[] => {
    const severity = config.rules[rule.name]?.severity
    if (severity === 'off') return []
    return firstOf(rule.checkLayout(layout)).map(found => ({
      file: found.file,
      rule: rule.name,
      severity: severityOf(rule, found, severity),
      message: found.message,
      ...place(found),
      ...(found.suggestion === undefined ? {} : { suggestion: found.suggestion }),
    }))
  }).sort(byPlace)
}

type Range = Pick<Finding, 'line' | 'column' | 'endLine' | 'endColumn'>

/** JSON is YAML, and the YAML reader knows the position of each value. A file is parsed only when it has a finding. */
function placer({ texts }: Layout): (found: FoundInFile) => Range {
  const locators = new Map<string, (found: FoundInFile) => Range>()
  const locatorOf = (file: string) => {
    const text = texts.get(file) ?? ''
    const document = readYaml(text)
    const position = positionsIn(text)
    return ({ pointer = [], position: exact }: FoundInFile): Range => {
      if (exact !== undefined) return range(exact, { ...exact, column: exact.column + 1 })
      // A finding about the whole file is placed at its first character.
      const { start, end } = pointer.length === 0 ? { start: 0, end: 1 } : document.locate({ pointer })
      return range(position(start), position(end))
    }
  }
  return found => {
    const locator = locators.get(found.file) ?? locatorOf(found.file)
    locators.set(found.file, locator)
    return locator(found)
  }
}

const range = (from: Position, to: Position): Range => ({ line: from.line, column: from.column, endLine: to.line, endColumn: to.column })
