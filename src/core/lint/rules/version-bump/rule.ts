import semver from 'semver'
import { type Bump, biggest, type Change, changesBetween, isSmaller } from '../../../pack/changes.ts'
import { digestsOf } from '../../../schema/schemas.ts'
import type { PreviousVersion, Rule, Subject } from '../../rule.ts'

export const versionBump: Rule = {
  name: 'version-bump',
  summary: 'The version goes up by as much as the change since the previous version needs.',
  severity: 'error',

  *check(subject) {
    const { pack, previous } = subject
    if (pack === null || previous === null) return
    const declared = bumpBetween(previous.pack.version, pack.version)
    const needed = biggest([...schemaContentChanges(subject, previous), ...changesBetween(previous.pack, pack)])
    if (declared === null || needed === null || !isSmaller(declared, needed.bump)) return
    yield {
      message: `${previous.pack.version} → ${pack.version} is a ${declared} step, but this version ${needed.what}: that needs a ${needed.bump} step`,
      at: { pointer: ['version'] },
      suggestion: `name it ${semver.inc(previous.pack.version, needed.bump)}`,
    }
  },
}

function bumpBetween(from: string, to: string): Bump | null {
  const difference = semver.diff(from, to)?.replace(/^pre(?=major|minor|patch)/, '')
  return difference === 'major' || difference === 'minor' || difference === 'patch' ? difference : null
}

/** A schema may change under the same name; its digest cannot. */
function* schemaContentChanges({ pack, schemas }: Subject, previous: PreviousVersion): Iterable<Change> {
  for (const field of ['inputSchema', 'outputSchema'] as const) {
    for (const [uri, digest] of Object.entries(digestsOf(pack![field], schemas))) {
      const before = previous.schemas[uri]
      if (before !== undefined && before !== digest) yield { bump: 'major', what: `uses a changed ${uri}`, pointer: [field] }
    }
  }
}
