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
      suggestion: `name it ${semver.inc(previous.pack.version, isEarly(previous.pack.version) ? EARLIER[needed.bump] : needed.bump)}`,
    }
  },
}

/** Before 1.0.0 the second number is for breaking changes and the third for the rest. */
const isEarly = (version: string): boolean => semver.major(version) === 0
const EARLIER: Readonly<Record<Bump, Bump>> = { major: 'minor', minor: 'patch', patch: 'patch' }
const LATER: Readonly<Record<Bump, Bump>> = { major: 'major', minor: 'major', patch: 'minor' }

function bumpBetween(from: string, to: string): Bump | null {
  const difference = semver.diff(from, to)?.replace(/^pre(?=major|minor|patch)/, '')
  if (difference !== 'major' && difference !== 'minor' && difference !== 'patch') return null
  return isEarly(from) ? LATER[difference] : difference
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
