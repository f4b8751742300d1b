// onbook bundle verify: shows the content, the signer and the problems of a bundle. Reads no record: install checks the dependencies.
import { pinnedText } from '../../core/resolve/prompt-ref.ts'
import { type CheckedBundle, checkBundle } from '../../engine/bundle/check-bundle.ts'
import type { Input } from '../commands.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { readBundle } from './files.ts'
import { trustRoots } from './keys.ts'
import { trustOf } from './trust.ts'

export async function verifyBundle(input: Input): Promise<number> {
  const { check, nameOf } = await trustRoots(input)
  const checked = checkBundle(await readBundle(String(input.bundle)), trustOf(input, check))
  const report = toReport(checked, nameOf)
  if (input.json) printJson(report)
  else process.stdout.write(printed(report))
  return report.problems.length === 0 ? 0 : 1
}

type Report = ReturnType<typeof toReport>

function toReport({ digest, integrity, manifest, signature, problems }: CheckedBundle, nameOf: (key: string) => string | null) {
  return {
    name: manifest?.name ?? null,
    version: manifest?.version ?? null,
    digest,
    integrity,
    key: signature?.key ?? null,
    signedBy: signature === null ? null : nameOf(signature.key),
    dependencies: manifest?.dependencies ?? {},
    templates: (manifest?.prompts ?? []).map(({ templateId, version, kind }) => ({ ref: pinnedText(templateId, version), kind })),
    problems,
  }
}

function printed({ name, version, digest, integrity, key, signedBy, dependencies, templates, problems }: Report): string {
  const lines = [
    ...(name === null ? [] : [`${name} ${version}`]),
    digest,
    integrity,
    ...(key === null ? [] : [`signed by ${signedBy} (${key})`]),
    ...Object.entries(dependencies).map(([needed, range]) => `needs ${needed} ${range}`),
    ...templates.map(({ ref, kind }) => `  ${ref}  ${kind}`),
    ...problems.map(({ code, message }) => `${code}: ${message}`),
    problems.length === 0 ? 'No problems.' : `${problems.length} problem${problems.length === 1 ? '' : 's'}.`,
  ]
  return `${lines.map(visible).join('\n')}\n`
}
