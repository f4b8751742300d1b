// Lists the refs that a resolution may look up, so that they can be loaded first.
import type { Json } from '../../core/digest/digest.ts'
import { additionalRefs, isEmpty, nodeRefs, type ResolveRequest } from '../../core/resolve/layers.ts'
import { type PromptRef, type RefDialect, readPromptRef } from '../../core/resolve/prompt-ref.ts'
import { KINDS } from '../../core/resolve/resolve.ts'
import type { Wanted } from '../../core/run/frozen.ts'

/** The refs that can be read, and the libraries that are named. */
export function refsOf(request: ResolveRequest, dialect: RefDialect = {}): Wanted {
  const { config, agent, runOverrides = {}, workflowDefaults = {}, hostDefaults = {} } = request
  const refs: PromptRef[] = []
  const hostRefs: PromptRef[] = []
  const add = (value: Json | undefined, to = refs): void => {
    const read = isEmpty(value) ? null : readPromptRef(value, dialect)
    if (read?.ok) to.push(read.ref)
  }
  for (const kind of KINDS) for (const ref of nodeRefs(config, kind)) add(ref)
  for (const ref of additionalRefs(config)) add(ref)
  for (const layer of [runOverrides, workflowDefaults, agent?.promptOverrides ?? {}]) for (const kind of KINDS) add(layer[kind])
  for (const kind of KINDS) add(hostDefaults[kind], hostRefs)
  return { refs, libraries: agent?.promptLibraryRef ? [agent.promptLibraryRef] : [], hostRefs }
}
