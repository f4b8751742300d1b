// `check --format sarif`: SARIF 2.1.0, for code scanning. Section numbers are those of the OASIS standard.
import { isAbsolute, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { digestText, hexOf } from '../../core/digest/digest.ts'
import { jsonFile } from '../../core/digest/indented-json.ts'
import type { Finding } from '../../core/lint/lint.ts'
import type { Severity } from '../../core/lint/rule.ts'
import { RULES } from '../../core/lint/rules.ts'
import { type CheckReport, fullMessage } from './check-report.ts'

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'
const LEVEL: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'note' }
const INDEX: ReadonlyMap<string, number> = new Map(RULES.map((rule, index) => [rule.name, index]))

export function checkToSarif({ findings }: CheckReport, version: string): string {
  const driver = {
    name: 'onbook',
    version,
    semanticVersion: version,
    rules: RULES.map(({ name, summary, severity }) => ({
      id: name,
      shortDescription: { text: summary },
      fullDescription: { text: summary },
      help: { text: summary },
      defaultConfiguration: { level: LEVEL[severity] },
    })),
  }
  const fingerprint = fingerprints()
  const results = findings.map(finding => ({ ...resultOf(finding), partialFingerprints: { 'onbookFinding/v1': fingerprint(finding) } }))
  // All columns of Onbook are UTF-16 units; §3.14.17 requires the file to say so.
  return jsonFile({ $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', results }] })
}

function resultOf(finding: Finding) {
  const { rule, severity, file, line, column, endLine, endColumn } = finding
  const ruleIndex = INDEX.get(rule)
  return {
    ruleId: rule,
    ...(ruleIndex === undefined ? {} : { ruleIndex }),
    level: LEVEL[severity],
    message: { text: fullMessage(finding) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: artifactLocation(file),
          region: { startLine: line, startColumn: column, endLine, endColumn },
        },
      },
    ],
  }
}

function artifactLocation(file: string): { readonly uri: string; readonly uriBaseId?: string } {
  if (isAbsolute(file)) return { uri: pathToFileURL(file).href }
  const segments = (sep === '\\' ? file.replaceAll('\\', '/') : file).split('/')
  return { uri: segments.map(segment => encodeURIComponent(segment.toWellFormed())).join('/'), uriBaseId: '%SRCROOT%' }
}

/**
 * §3.27.17: a finding keeps its fingerprint while lines move around it. The ordinal separates equal findings of one file: without it, a scanner would
 * merge two uses of one undeclared variable.
 */
function fingerprints(): (finding: Finding) => string {
  const seen = new Map<string, number>()
  return ({ file, rule, message }) => {
    const name = hexOf(digestText(JSON.stringify([file, rule, message])))
    const ordinal = (seen.get(name) ?? 0) + 1
    seen.set(name, ordinal)
    return `${name}:${ordinal}`
  }
}
