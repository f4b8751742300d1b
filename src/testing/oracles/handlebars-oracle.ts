// Handlebars as the judge of our template engine, on the subset we share. Its known faults are taken out here, one by one, and named.
import Handlebars from 'handlebars'
import { canonicalJson, type Json } from '../../core/digest/digest.ts'
import { parseTemplate } from '../../core/template/parse.ts'
import { renderTemplate } from '../../core/template/render.ts'
import type { TemplateCase } from '../arbitraries/any-template.ts'

/** The text both render, or null when we refuse the template. Throws when we accept and Handlebars disagrees, or we with ourselves. */
export function judge({ source, values }: TemplateCase): string | null {
  const parsed = parseTemplate(source)
  if (!parsed.ok) {
    const lost = parsed.problems.find(({ start, end }) => start < 0 || start >= end || end > source.length)
    if (lost !== undefined || parsed.problems.length === 0) throw new Error(`refused without pointing at anything: ${JSON.stringify(lost)}`)
    return null
  }
  const rendered = renderTemplate(parsed.template, values, { lenient: true })
  if (!rendered.ok) throw new Error(`lenient, and yet refused: ${JSON.stringify(rendered.problems)}`)
  const expected = renderWithHandlebars(source, values)
  if (rendered.text !== expected) throw new Error(`rendered ${JSON.stringify(rendered.text)}, expected ${JSON.stringify(expected)}`)

  if (rendered.segments.map(({ text }) => text).join('') !== expected) throw new Error('the segments are not the text')
  const misplaced = rendered.segments.find(({ text, from, at }) => from === null && source.slice(at.start, at.end) !== text)
  if (misplaced !== undefined) throw new Error(`not where it says it came from: ${JSON.stringify(misplaced)}`)

  const strict = renderTemplate(parsed.template, values)
  if (strict.ok ? strict.text !== expected : strict.problems.some(({ code }) => code !== 'value-missing'))
    throw new Error(`strict differs by more than what is missing: ${JSON.stringify(strict)}`)
  return expected
}

interface Compiler {
  resolvePath(type: string, parts: readonly string[], start: number, falsy?: boolean, strict?: boolean): void
}

const env = Handlebars.create() as typeof Handlebars & { JavaScriptCompiler: new () => Compiler }

// `{{@root.a.b}}` prints a itself when a is 0, false or '': data paths test for truth where all others test for null.
env.JavaScriptCompiler = class Patched extends env.JavaScriptCompiler {
  readonly compiler = Patched

  override resolvePath(type: string, parts: readonly string[], start: number, _falsy?: boolean, strict?: boolean): void {
    super.resolvePath(type, parts, start, false, strict)
  }
}

// A path with `this` at the end of any word (`p.[this]`) counts as scoped and so misses the block parameter p;
// `@index` counts as unscoped and so is taken for a block parameter named index, also in an inner loop.
const { helpers } = Handlebars.AST as unknown as { helpers: { scopedId: (path: hbs.AST.PathExpression) => boolean } }
helpers.scopedId = path => path.data || /^(?:\.|this(?:$|[./]))/.test(path.original)

// In a null context helpers get a sealed {} for `this`, so `{{this}}` inside #if prints [object Object]: give them null back.
for (const name of ['if', 'unless', 'each', 'with']) {
  const builtIn = env.helpers[name]!
  env.registerHelper(name, function (this: unknown, ...parameters: unknown[]) {
    return builtIn.apply(isNullContext(this) ? null : this, parameters as Parameters<typeof builtIn>)
  })
}

const isNullContext = (context: unknown): boolean => typeof context === 'object' && context !== null && Object.isSealed(context)

/** Throws where Handlebars does. */
export function renderWithHandlebars(source: string, values: Readonly<Record<string, Json>>): string {
  const program = env.parseWithoutProcessing(source)
  escapeAll(program)
  // Said outright, these two also keep Handlebars from warning on the console about each prototype it denies.
  const denied = { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false }
  return undoEntities(env.compile(program)(copyOf(values), denied))
}

/** Unescaped numbers that stand side by side are added up, so everything is escaped, the template's own text too, and undone at the end. */
function escapeAll(program: hbs.AST.Program): void {
  for (const statement of program.body) {
    if (statement.type === 'ContentStatement') {
      const content = statement as hbs.AST.Statement & { value: string; original: unknown }
      content.value = Handlebars.escapeExpression(content.value)
      content.original = content.value
    } else if (statement.type === 'MustacheStatement') {
      ;(statement as hbs.AST.MustacheStatement).escaped = true
    } else if (statement.type === 'BlockStatement') {
      const block = statement as hbs.AST.BlockStatement
      escapeAll(block.program)
      if (block.inverse) escapeAll(block.inverse)
    }
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#x60;': '`',
  '&#x3D;': '=',
}
const undoEntities = (text: string): string => text.replace(/&(?:amp|lt|gt|quot|#x27|#x60|#x3D);/g, entity => ENTITIES[entity]!)

/** The same values, with two hidden properties on every list and object. */
function copyOf(value: Json): unknown {
  if (typeof value !== 'object' || value === null) return value
  const copy = Array.isArray(value)
    ? value.map(copyOf)
    : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]))
  return Object.defineProperties(copy, {
    // Decision 24: lists and objects print as canonical JSON. This is the hook Handlebars asks for a value's escaped text.
    toHTML: { value: () => Handlebars.escapeExpression(canonicalJson(value)) },
    // Handlebars compares contexts with ==, so that ["a"] equals "a" and `../` climbs one level less. Not with us; a symbol equals no text.
    [Symbol.toPrimitive]: { value: () => Symbol('never equal') },
  })
}
