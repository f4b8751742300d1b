// Every fault has a sentence of its own in docs/reference/errors.md: a summary, or a message that says more than its details.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FAULTS } from './errors.ts'

const LISTS = ['known', 'tried', 'libraries', 'supported']

/** Every detail reads as its own name, as in the generated page. */
const OPEN = new Proxy({}, { get: (_, name) => (LISTS.includes(String(name)) ? [`<${String(name)}>`] : `<${String(name)}>`) })

const faults = Object.entries(FAULTS).map(([code, { say, summary }]) => ({
  code,
  meaning: summary ?? (say as (details: object) => string)(OPEN),
}))

const wordsIn = (text: string): number => text.replace(/<\w+>/g, ' ').match(/[\w'-]{2,}/g)?.length ?? 0

describe('faults', () => {
  it('each say in words what happened', () => {
    const short = faults.filter(({ meaning }) => wordsIn(meaning) < 4 || /\bNaN\b|undefined|\[object/.test(meaning))
    expect(short).toEqual([])
  })

  it('are each raised somewhere', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.ts') && !path.endsWith('.test.ts') && !/^(?:faults|testing)[/\\]/.test(path))
      .map(path => readFileSync(`src/${path}`, 'utf8'))
      .join('')
    // Of definitions, by their kind: `${kind}_invalid`.
    const composed = ['workflow_invalid']
    expect(faults.map(({ code }) => code).filter(code => !sources.includes(`'${code}'`) && !composed.includes(code))).toEqual([])
  })

  it('each begin with a capital letter, a quote or a detail, and end as a sentence', () => {
    // What the host or the tool said ends these three.
    const relayed = ['host_refused', 'tool_error', 'bundle_refused']
    const odd = faults.filter(({ code, meaning }) => !/^["<A-Z]/.test(meaning) || !(relayed.includes(code) || /[.…]$/.test(meaning)))
    expect(odd).toEqual([])
  })
})
