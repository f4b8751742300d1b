// Answers from a file that a person wrote beside the pack: v1.0.0.script.yaml. No network, no key, always the same.
import type { Json } from '../core/digest/digest.ts'
import { readYaml } from '../core/pack/yaml.ts'
import { Fault } from '../errors.ts'
import type { Model } from '../ports.ts'

/** Text is sent as it stands; anything else as JSON. */
export function scriptedModel(path: string, text: string): Model {
  const { value, problems } = readYaml(text)
  const replies = (value as { replies?: Json } | null | undefined)?.replies
  if (problems[0] !== undefined) throw new Fault('script_invalid', { path, problem: problems[0].message })
  if (typeof replies !== 'object' || replies === null || Array.isArray(replies))
    throw new Fault('script_invalid', { path, problem: 'it must have "replies": example names with what the model says' })
  const byExample = replies as Readonly<Record<string, Json>>
  return {
    name: 'scripted',
    async complete({ example }) {
      if (!Object.hasOwn(byExample, example)) throw new Fault('reply_missing', { path, example })
      const reply = byExample[example]!
      return typeof reply === 'string' ? reply : JSON.stringify(reply)
    },
  }
}
