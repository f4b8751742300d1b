// Core runs in a browser: bundled for one, it has nothing of Node left and does the same.
import { runInNewContext } from 'node:vm'
import { rolldown } from 'rolldown'
import { beforeAll, expect, it } from 'vitest'
import * as core from './core/index.ts'

let bundle: { readonly code: string; readonly outside: readonly string[] }
let inBrowser: typeof core

beforeAll(async () => {
  const build = await rolldown({
    input: 'src/core/index.ts',
    platform: 'browser',
    resolve: { conditionNames: ['source-browser', 'browser', 'import', 'default'] },
  })
  const { output } = await build.generate({ format: 'iife', name: 'onbook' })
  await build.close()
  const [chunk] = output
  bundle = { code: chunk.code, outside: [...chunk.imports, ...chunk.dynamicImports] }
  // Only what every browser has. What the bundle reaches for beyond this is a ReferenceError.
  inBrowser = runInNewContext(`${bundle.code}; onbook`, { TextEncoder, TextDecoder, URL, atob, btoa })
})

it('needs nothing from outside', () => {
  expect(bundle.outside).toEqual([])
  expect(bundle.code).not.toMatch(/["'`]node:|\brequire\(["'`]/)
})

it('offers the same names as on Node', () => {
  expect(Object.keys(inBrowser).sort()).toEqual(Object.keys(core).sort())
})

it('gives content the same names', () => {
  const abc = 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  expect(inBrowser.digestText('abc')).toBe(abc)
  expect(inBrowser.digestText('é\u{1F600}')).toBe(core.digestText('é\u{1F600}'))
})

it('renders a template', () => {
  const parsed = inBrowser.parseTemplate('Hello {{who}}{{#each items as |item|}}, {{item}}{{/each}}.')
  if (!parsed.ok) throw new Error('does not parse')
  const rendered = inBrowser.renderTemplate(parsed.template, { who: 'Ada', items: ['one', 'two'] })
  expect(rendered).toMatchObject({ ok: true, text: 'Hello Ada, one, two.' })
})
