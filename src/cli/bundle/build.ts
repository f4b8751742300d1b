// Folder: Commands about bundles.
// onbook bundle build: builds a pack.json from packs.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../../adapters/folder/write-whole.ts'
import { reasonOf } from '../../adapters/processes/reasons.ts'
import { workerValidator } from '../../adapters/validator/worker-validator.ts'
import { hostConfigOf } from '../../book/host-config.ts'
import { BUNDLE_NAME } from '../../core/bundle/format.ts'
import { integrityOf } from '../../core/bundle/integrity.ts'
import type { BundleHead } from '../../core/bundle/print.ts'
import { digestBytes } from '../../core/digest/digest.ts'
import { isTemplateId, isVersion } from '../../core/resolve/prompt-ref.ts'
import { buildBundle } from '../../engine/bundle/build-bundle.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { locate } from '../locate.ts'
import { printJson } from '../terminal.ts'

export async function build(input: Input): Promise<number> {
  const head = headOf(input)
  const folder = required(input.output, '--output')
  const { targets, missing } = await locate((input.paths as string[] | undefined) ?? [])
  if (missing.length > 0) throw new Fault('path_missing', { path: missing.join(', ') })
  if (targets.every(({ packs }) => packs.length === 0))
    throw new Fault('packs_missing', { where: targets.map(({ root }) => root).join(', ') })
  const validator = workerValidator()
  try {
    const bytes = await buildBundle(head, targets, validator, hostConfigOf(input).maxTemplateBytes)
    const path = await write(folder, bytes)
    const digest = digestBytes(bytes)
    if (input.json) printJson({ name: head.name, version: head.version, path, digest, integrity: integrityOf(digest) })
    else process.stdout.write(`Wrote ${path}: ${integrityOf(digest)}\nSign it: onbook bundle sign ${folder} --key <file>\n`)
    return 0
  } finally {
    await validator.close()
  }
}

function headOf(input: Input): BundleHead {
  const name = required(input.name, '--name')
  // OpenWOP allows capitals in a name, but no ref can name such a library.
  if (!isTemplateId(name) || !new RegExp(BUNDLE_NAME).test(name))
    throw new Fault('usage_invalid', {
      problem: `--name must be lower case and begin with core, vendor, community or private, such as vendor.acme.prompts, not "${name}"`,
    })
  const version = required(input.version, '--version')
  if (!isVersion(version)) throw new Fault('usage_invalid', { problem: `--version must be such as 1.0.0, not "${version}"` })
  const dependencies = Object.fromEntries(((input.depends as readonly string[] | undefined) ?? []).map(dependencyOf))
  return {
    name,
    version,
    ...(typeof input.description === 'string' ? { description: input.description } : {}),
    ...(Object.keys(dependencies).length > 0 ? { dependencies } : {}),
  }
}

function dependencyOf(text: string): [name: string, range: string] {
  const at = text.indexOf('@')
  if (at < 1)
    throw new Fault('usage_invalid', { problem: `--depends must be a name and a range, such as vendor.acme.base@^1.0.0, not "${text}"` })
  return [text.slice(0, at), text.slice(at + 1)]
}

function required(value: unknown, option: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new Fault('usage_invalid', { problem: `${option} is needed` })
}

async function write(folder: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, 'pack.json')
  try {
    await mkdir(folder, { recursive: true })
    await writeWhole(path, new TextDecoder().decode(bytes))
    return path
  } catch (error) {
    throw new Fault('file_unwritable', { path, reason: reasonOf(error) }, { cause: error })
  }
}
