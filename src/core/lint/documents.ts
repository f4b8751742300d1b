// The agents and workflows of a workspace, each parsed once for all rules.
import type { Agent } from '../agent/agent.ts'
import { readAgent } from '../agent/read-agent.ts'
import type { Json } from '../digest/digest.ts'
import { isObject, type JsonObject } from '../digest/is-object.ts'
import type { FileProblem } from '../pack/file-content.ts'
import { folderOf } from '../pack/identity.ts'
import type { Mismatch } from '../schema/verdict.ts'
import { readDocument } from '../workflow/read-document.ts'
import { readWorkflow } from '../workflow/read-workflow.ts'
import type { Workflow } from '../workflow/workflow.ts'
import { type FoundInFile, foundIn, isAgentFile, isWorkflowFile, type Layout, textsOf } from './layout.ts'

export interface LintedDocument<T> {
  readonly file: string
  /** As written, mistakes included; empty when it cannot be parsed. */
  readonly written: JsonObject
  /** Null when something is wrong. */
  readonly read: T | null
  readonly found: readonly FoundInFile[]
}

interface Documents {
  readonly agents: readonly LintedDocument<Agent>[]
  readonly workflows: readonly LintedDocument<Workflow>[]
}

const cache = new WeakMap<Layout, Documents>()

export function documentsOf(layout: Layout): Documents {
  const documents = cache.get(layout) ?? { agents: agentsIn(layout), workflows: workflowsIn(layout) }
  cache.set(layout, documents)
  return documents
}

const agentsIn = (layout: Layout): readonly LintedDocument<Agent>[] =>
  textsOf(layout, isAgentFile).map(([file, text]) =>
    lint(file, text, value => {
      const read = readAgent(value, path => layout.texts.get(`${folderOf(file)}${path}`) ?? null)
      return read.ok ? read.agent : read.problems
    }),
  )

const workflowsIn = (layout: Layout): readonly LintedDocument<Workflow>[] =>
  textsOf(layout, isWorkflowFile).map(([file, text]) =>
    lint(file, text, value => {
      const read = readWorkflow(value)
      return read.ok ? read.workflow : read.problems
    }),
  )

function lint<T extends object>(file: string, text: string, read: (value: Json) => T | readonly Mismatch[]): LintedDocument<T> {
  const broken = (problems: readonly FileProblem[], written: JsonObject = {}) => ({
    file,
    written,
    read: null,
    found: problems.map(problem => foundIn({ path: file, ...problem })),
  })
  const document = readDocument(file, text)
  if (!document.ok) return broken(document.problems)
  const written = isObject(document.value) ? document.value : {}
  const made = read(document.value)
  return Array.isArray(made) ? broken(made, written) : { file, written, read: made as T, found: [] }
}

/** Documents with the same name as an earlier file. */
export function* twins<T>(documents: readonly LintedDocument<T>[], nameOf: (read: T) => string, what: string): Iterable<FoundInFile> {
  const first = new Map<string, string>()
  for (const { file, read } of documents) {
    if (read === null) continue
    const name = nameOf(read)
    const other = first.get(name)
    if (other === undefined) first.set(name, file)
    else yield { file, pointer: [what], message: `${other} has this ${what} too: choose another` }
  }
}
