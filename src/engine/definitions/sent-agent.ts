// An agent as it is sent over HTTP: alone, or with the file that its manifest names. OpenWOP keeps that file in the package of the manifest.
import type { Json } from '../../core/digest/digest.ts'
import { isObject, type JsonObject } from '../../core/digest/is-object.ts'
import { workFields } from '../../core/workflow/fields.ts'
import { Fault } from '../../errors.ts'
import { prepareAgent } from './agents.ts'
import type { PreparedDefinition } from './publish.ts'

/** The stored document holds the text itself, so it can be read without the file. */
export function prepareSentAgent(body: Json): PreparedDefinition {
  if (!isObject(body) || !Object.hasOwn(body, 'manifest')) {
    refuseMissingFile(body, {})
    return withPrompt(body, prepareAgent(body))
  }
  const { manifest = null, files = {}, ...others } = body
  const [other] = Object.keys(others)
  if (other !== undefined) throw invalid(`there is no "${other.slice(0, 100)}" beside manifest and files`)
  if (!isObject(files)) throw invalid('files must be an object: the text of each file by its path')
  const named = isObject(manifest) ? manifest.systemPromptRef : undefined
  const unnamed = Object.keys(files).find(path => path !== named)
  if (unnamed !== undefined) throw invalid(`files has ${unnamed.slice(0, 200)}, and the manifest's systemPromptRef does not name it`)
  refuseMissingFile(manifest, files)
  return withPrompt(
    manifest,
    prepareAgent(manifest, 'The manifest', path => textIn(files, path)),
  )
}

/** OpenWOP requires a prompt of the agent's own. An agent with one of these instead has its prompt elsewhere, or is a file of Onbook's own. */
const PROMPT_FIELDS = [
  'systemPrompt',
  'systemPromptRef',
  'promptOverrides',
  'promptLibraryRef',
  'settings',
  'compose',
  'onMisfit',
  ...Object.keys(workFields),
]
const NO_PROMPT =
  'the agent has no prompt: write systemPrompt, or systemPromptRef with its file; or name one with promptOverrides, promptLibraryRef or role'

function withPrompt(manifest: Json, prepared: PreparedDefinition): PreparedDefinition {
  if (PROMPT_FIELDS.some(field => Object.hasOwn(manifest as JsonObject, field))) return prepared
  throw new Fault('agent_invalid', { what: 'The manifest', problem: NO_PROMPT, problems: [{ pointer: '', message: NO_PROMPT }] })
}

const textIn = (files: JsonObject, path: string): string | null => {
  const text = Object.hasOwn(files, path) ? files[path] : null
  return typeof text === 'string' ? text : null
}

function refuseMissingFile(manifest: Json, files: JsonObject): void {
  const path = isObject(manifest) ? manifest.systemPromptRef : undefined
  if (typeof path !== 'string' || textIn(files, path) !== null) return
  const problem = `systemPromptRef names the file ${path.slice(0, 200)}: send its text beside the manifest, as {"manifest": {…}, "files": {"${path.slice(0, 200)}": "…"}}`
  throw new Fault('agent_invalid', { what: 'The manifest', problem, problems: [{ pointer: '/systemPromptRef', message: problem }] })
}

const invalid = (problem: string): Fault => new Fault('validation_error', { problem })
