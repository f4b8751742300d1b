// onbook prompt render: prints the composed text of a pack's prompt, of a template of the library, or of a template given as text.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import pc from 'picocolors'
import { databaseOf } from '../book/record-folder.ts'
import { type Digest, digestText, type Json } from '../core/digest/digest.ts'
import { isObject } from '../core/digest/is-object.ts'
import { positionOf, type Span } from '../core/pack/place.ts'
import { bindValues } from '../core/pack/values.ts'
import { readYaml } from '../core/pack/yaml.ts'
import type { TemplateProblem } from '../core/template/ast.ts'
import { parseTemplate } from '../core/template/parse.ts'
import { type RenderProblem, renderTemplate, type Segment } from '../core/template/render.ts'
import { findPack, hasPack } from '../engine/packs/pack-folder.ts'
import { loadPack } from '../engine/packs/versions.ts'
import { Fault } from '../errors.ts'
import type { Input } from './commands.ts'
import { locate } from './locate.ts'
import { visible } from './report/visible.ts'
import { printContent, printJson } from './terminal.ts'

interface Source {
  readonly template: string
  readonly values: Readonly<Record<string, Json>>
  /** `file:line:column` of a place in the template. */
  readonly where: (within: Span) => string
}

export async function render(input: Input): Promise<number> {
  const given = await readValues(input.values)
  const lenient = input.lenient === true
  if ((input.text === undefined) === (input.ref === undefined))
    throw new Fault('usage_invalid', { problem: 'name a pack or a ref, or give a template with --text' })
  if (typeof input.ref === 'string' && (await isPublished(input, input.ref))) {
    const { renderFromLibrary } = await import('./host/render-library.ts')
    return show(input, await renderFromLibrary(input, input.ref, given))
  }
  const { template, values, where } =
    input.text === undefined ? await fromPack(String(input.ref), given, lenient) : fromText(String(input.text), given)
  const explain = (problems: readonly (TemplateProblem | RenderProblem)[]) =>
    problems.map(problem => `${where(problem)}: ${problem.message}`).join('\n')

  const parsed = parseTemplate(template)
  if (!parsed.ok) throw new Fault('template_invalid', { problem: explain(parsed.problems) })
  const rendered = renderTemplate(parsed.template, values, { lenient })
  if (!rendered.ok) throw new Fault('values_invalid', { problem: explain(rendered.problems) })

  const { text, segments } = rendered
  return show(input, { text, hash: digestText(text), segments })
}

/** A ref means the pack in this folder. Without such a pack, or on request, it means the template of the library. */
export async function isPublished(input: Input, ref: string): Promise<boolean> {
  if (input.published === true || input.session !== undefined) return true
  if (!ref.startsWith('prompt:') || existsSync(ref) || !existsSync(databaseOf(input))) return false
  const { targets } = await locate([])
  return targets.every(({ workspace }) => !hasPack(workspace, ref))
}

export interface Shown {
  readonly text: string
  readonly hash: Digest
  readonly segments: readonly Segment[]
}

function show(input: Input, shown: Shown): number {
  if (input.json) printJson(shown)
  else if (input.segments) process.stdout.write(shown.segments.map(segment => `${line(segment)}\n`).join(''))
  else printContent(shown.text)
  return 0
}

const placed = (name: string, text: string, offset: number): string => {
  const { line, column } = positionOf(text, offset)
  return `${name}:${line}:${column}`
}

const fromText = (template: string, values: Readonly<Record<string, Json>>): Source => ({
  template,
  values,
  where: ({ start }) => placed('--text', template, start),
})

async function fromPack(ref: string, given: Readonly<Record<string, Json>>, lenient: boolean): Promise<Source> {
  const isPath = existsSync(ref)
  const { targets } = await locate(isPath ? [ref] : [])
  const [target] = targets
  const path = isPath && target?.packs.length === 1 ? target.packs[0]! : findPack(target!.workspace, ref)
  const { pack, text } = await loadPack(target!.workspace, path)
  const name = target!.shown(path)
  const bound = bindValues(pack, given, { lenient })
  if (!bound.ok) throw new Fault('values_invalid', { problem: `${name}: ${bound.problems.map(problem => problem.message).join('; ')}` })
  const document = readYaml(text)
  return {
    template: pack.systemPrompt,
    values: bound.values,
    where: within => placed(name, text, document.locate({ pointer: ['systemPrompt'], within }).start),
  }
}

async function readValues(given: unknown): Promise<Readonly<Record<string, Json>>> {
  if (given === undefined) return {}
  const argument = String(given)
  const text = argument.startsWith('@')
    ? await readFile(argument.slice(1), 'utf8').catch((error: Error) => {
        throw new Fault('file_unreadable', { path: argument.slice(1), reason: error.message }, { cause: error })
      })
    : argument
  let values: Json
  try {
    values = JSON.parse(text)
  } catch (error) {
    throw new Fault('values_invalid', { problem: `--values is not JSON: ${(error as Error).message}` }, { cause: error })
  }
  if (!isObject(values)) throw new Fault('values_invalid', { problem: '--values must be a JSON object: names with values' })
  return values
}

const line = ({ text, from }: Segment): string =>
  from === null ? `${pc.dim('literal')}  ${visible(JSON.stringify(text))}` : `${pc.cyan(visible(from))}  ${visible(JSON.stringify(text))}`
