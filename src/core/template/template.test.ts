import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Json } from '../digest/digest.ts'
import { parseTemplate } from './parse.ts'
import { renderTemplate } from './render.ts'

interface Case {
  template: string
  data: Record<string, Json>
  output?: string
  error?: string
}
const read = (file: string) => (JSON.parse(readFileSync(`spec/template/${file}`, 'utf8')) as { cases: Case[] }).cases

describe.each(['cases.json', 'handlebars-corners.json'])('%s', file => {
  it.each(read(file))('$template with $data', ({ template, data, output, error }) => {
    const parsed = parseTemplate(template)
    if (error !== undefined) return expect(parsed.ok).toBe(false)
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
    const rendered = renderTemplate(parsed.template, data, { lenient: true })
    expect(rendered).toMatchObject({ ok: true, text: output })
    if (rendered.ok) expect(rendered.segments.map(segment => segment.text).join('')).toBe(output)
  })
})
