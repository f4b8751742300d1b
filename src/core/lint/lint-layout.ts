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
    return firstOf(rule.checkLayout(layout)).map(finding => ({
      file: finding.file,
      rule: rule.name,
      severity: severityOf(rule, finding, severity),
      message: finding.message,
      ...place(finding),
      ...(finding.suggestion === undefined ? {} : { suggestion: finding.suggestion }),
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
  return finding => {
    const locator = locators.get(finding.file) ?? locatorOf(finding.file)
    locators.set(finding.file, locator)
    return locator(finding)
  }
}

const range = (from: Position, to: Position): Range => ({ line: from.line, column: from.column, endLine: to.line, endColumn: to.column })
