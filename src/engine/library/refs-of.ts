// Everything a resolution may have to look up, so that it can be loaded first.
import type { Json } from '../../core/digest/digest.ts'
import type { PromptKind } from '../../core/pack/compile.ts'
import { additionalRefs, isEmpty, type KindRefs, nodeRefs, type ResolveRequest } from '../../core/resolve/layers.ts'
import { type PromptRef, type RefDialect, readPromptRef } from '../../core/resolve/prompt-ref.ts'
import { KINDS } from '../../core/resolve/resolve.ts'

/** The refs that can be read, and the libraries that are named. */
export function refsOf(request: ResolveRequest, dialect: RefDialect = {}): [refs: readonly PromptRef[], libraries: readonly string[]] {
  const { config, agent, runOverrides = {}, workflowDefaults = {}, hostDefaults = {} } = request
  const byKind = (refs: KindRefs): readonly (Json | undefined)[] => KINDS.map((kind: PromptKind) => refs[kind])
  const values = [
    ...KINDS.flatMap(kind => nodeRefs(config, kind)),
    ...additionalRefs(config),
    ...[runOverrides, workflowDefaults, hostDefaults, agent?.promptOverrides ?? {}].flatMap(byKind),
  ]
  const refs: PromptRef[] = []
  for (const value of values) {
    const read = isEmpty(value) ? null : readPromptRef(value, dialect)
    if (read?.ok) refs.push(read.ref)
  }
  return [refs, agent?.promptLibraryRef ? [agent.promptLibraryRef] : []]
}
