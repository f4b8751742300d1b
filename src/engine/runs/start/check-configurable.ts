// Checks the changes that a start request asks for: refs must be valid refs, and the rest must fit the workflow. Nothing is ignored silently.
import type { Json } from '../../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../../core/digest/is-object.ts'
import { PROMPT_KINDS } from '../../../core/pack/compile.ts'
import { readPromptRef } from '../../../core/resolve/prompt-ref.ts'
import { inOurDraft } from '../../../core/schema/older-drafts.ts'
import { pointerText } from '../../../core/schema/pointer.ts'
import { collectSchemas } from '../../../core/schema/schemas.ts'
import type { Workflow } from '../../../core/workflow/workflow.ts'
import { Fault } from '../../../errors.ts'
import type { Validator } from '../../../ports.ts'

const SCHEMA = 'https://onbook.dev/configurable'
/** OpenWOP's own names for settings of workflows, agents and budgets. */
const RESERVED: Readonly<Record<string, string>> = {
  model: 'name a model in the workflow or the agent',
  temperature: 'say it in the prelude of the session',
  maxTokens: 'say it in the workflow or the agent',
  recursionLimit: 'say budget.steps',
  ai: 'the host uses credentials of its own, and takes no credentialRef',
}

/** Throws `prompt_ref_invalid` and `validation_error`. */
export async function checkConfigurable(
  validator: Pick<Validator, 'ask'>,
  { configurableSchema }: Workflow,
  configurable: JsonObject,
): Promise<void> {
  const { promptOverrides, ...rest } = configurable
  for (const [name, instead] of Object.entries(RESERVED))
    if (Object.hasOwn(rest, name)) throw invalid(`configurable.${name} is not supported by this host: ${instead}`)
  if (promptOverrides !== undefined) checkOverrides(promptOverrides)
  if (configurableSchema !== null) await checkFits(validator, configurableSchema, rest)
}

function checkOverrides(given: Json): void {
  if (!isObject(given)) throw invalid('configurable.promptOverrides must be an object: a ref for each kind')
  for (const [kind, ref] of Object.entries(given)) {
    if (!(PROMPT_KINDS as readonly string[]).includes(kind))
      throw invalid(`configurable.promptOverrides has no kind "${kind.slice(0, 100)}"; there are ${PROMPT_KINDS.join(', ')}`)
    const read = readPromptRef(ref)
    if (!read.ok) throw new Fault('prompt_ref_invalid', { problem: `configurable.promptOverrides.${kind}: ${read.problem}` })
  }
}

/** Foreign schemas are foreign code: they are judged where they can be stopped. */
async function checkFits(validator: Pick<Validator, 'ask'>, schema: JsonObject, instance: JsonObject): Promise<void> {
  const ours = inOurDraft(schema)
  if (!ours.ok) throw invalid(`the workflow's configurableSchema cannot be used: ${ours.message}`)
  const { schemas } = collectSchemas([{ path: 'configurableSchema', schema: { ...ours.schema, $id: SCHEMA } }])
  const [verdict] = await validator.ask(schemas, [{ schema: SCHEMA, instance }])
  if (verdict === undefined || verdict.outcome === 'unusable')
    throw invalid(`the workflow's configurableSchema cannot be used: ${verdict?.message ?? 'it is too deep'}`)
  if (verdict.outcome === 'valid') return
  const [{ pointer, message } = { pointer: [], message: 'does not fit' }] = verdict.mismatches
  throw invalid(`configurable${pointer.length === 0 ? '' : pointerText(pointer)} ${message}`)
}

const invalid = (problem: string): Fault => new Fault('validation_error', { problem })
