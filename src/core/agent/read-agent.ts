// Reads an agent from its JSON: OpenWOP's AgentManifest, or a shorter form with our own fields. Reports all problems at
// once; never throws.
import type { Json } from '../digest/digest.ts'
import type { JsonObject } from '../digest/is-object.ts'
import { checkForm } from '../pack/form.ts'
import { shown } from '../resolve/prompt-ref.ts'
import { roleNameProblem } from '../role/role-name.ts'
import type { Mismatch } from '../schema/verdict.ts'
import { MOST_TEXT } from '../workflow/fields.ts'
import { type Given, modelOf, optionsProblem } from '../workflow/read-node.ts'
import { unusable } from '../workflow/read-workflow.ts'
import type { ModelChoice } from '../workflow/workflow.ts'
import { readRefs, refsInAgent } from '../workflow/written-refs.ts'
import { isPath } from '../workspace/path.ts'
import type { Agent } from './agent.ts'
import { agentFormat } from './agent-format.ts'

export type ReadAgent = { readonly ok: true; readonly agent: Agent } | { readonly ok: false; readonly problems: readonly Mismatch[] }

/** As the document has it. */
type Written = Given<Omit<Agent, 'model' | 'manifest'>> &
  Given<ModelChoice> & { readonly agentId: string; readonly systemPromptRef?: string }

/** @param textAt the text of a file by its path from the folder of this one; null for a missing file. */
export function readAgent(value: Json, textAt: (path: string) => string | null): ReadAgent {
  const outright = unusable(value)
  if (outright !== null) return { ok: false, problems: [{ pointer: [], message: `The agent ${outright}` }] }
  const formErrors = checkForm(value, agentFormat, 'The agent')
  if (formErrors.length > 0) return { ok: false, problems: formErrors.map(({ pointer, message }) => ({ pointer, message })) }
  const written = value as unknown as Written
  const prompt = promptOf(written, textAt)
  const roleProblem = written.role === undefined ? null : roleNameProblem(written.role)
  const tooLarge = optionsProblem(written)
  const problems: readonly Mismatch[] = [
    ...(tooLarge === null ? [] : [{ pointer: ['providerOptions'], message: tooLarge }]),
    ...(prompt.problem === null ? [] : [{ pointer: ['systemPromptRef'], message: prompt.problem }]),
    ...(roleProblem === null ? [] : [{ pointer: ['role'], message: roleProblem }]),
    ...readRefs(refsInAgent(value as JsonObject)).problems,
  ]
  return problems.length > 0 ? { ok: false, problems } : { ok: true, agent: toAgent(written, prompt.text, value as JsonObject) }
}

function toAgent(written: Written, systemPrompt: string | null, manifest: JsonObject): Agent {
  const { agentId, version = null, label = null, persona = label ?? agentId, description = null, modelClass = 'general' } = written
  const { promptOverrides = {}, promptLibraryRef = null, toolAllowlist = null, role = null, session = null, settings = null } = written
  return {
    agentId,
    version,
    persona,
    label,
    description,
    modelClass,
    systemPrompt,
    promptOverrides,
    promptLibraryRef,
    toolAllowlist,
    role,
    session,
    model: modelOf(written),
    settings,
    ...(written.compose === undefined ? {} : { compose: written.compose }),
    ...(written.onMisfit === undefined ? {} : { onMisfit: written.onMisfit }),
    manifest,
  }
}

interface OwnPrompt {
  readonly text: string | null
  readonly problem: string | null
}

function promptOf(written: Written, textAt: (path: string) => string | null): OwnPrompt {
  const { systemPrompt = null, systemPromptRef: path } = written
  const wrong = (problem: string): OwnPrompt => ({ text: null, problem })
  if (path === undefined) return { text: systemPrompt, problem: null }
  if (systemPrompt !== null) return wrong('The agent has both "systemPrompt" and "systemPromptRef": keep one')
  if (!isPath(path)) return wrong(`"${shown(path)}" leads out of the folder, or is not a path: write one such as texts/writer.md`)
  const text = textAt(path)
  if (text === null) return wrong(`There is no file ${path} in the folder of this agent`)
  if (text === '') return wrong(`${path} is empty`)
  return text.length > MOST_TEXT
    ? wrong(`${path} has ${text.length} characters: at most ${MOST_TEXT} are allowed`)
    : { text, problem: null }
}
