// Folder: Models for tests of packs: scripted, recorded, the AI SDK.
// Answers from a script beside the pack, v1.0.0.script.yaml. No network, no key, always the same.
import { isObject } from '../../core/digest/is-object.ts'
import { positionText } from '../../core/pack/place.ts'
import { readYaml } from '../../core/pack/yaml.ts'
import { Fault } from '../../errors.ts'
import type { Model } from '../../ports.ts'

/** Text is sent unchanged; any other value as JSON. */
export function scriptedModel(path: string, text: string): Model {
  const { value, problems, locate } = readYaml(text)
  const invalid = (offset: number, message: string) =>
    new Fault('script_invalid', { path, problem: `${positionText(text, offset)}: ${message}` })
  if (problems[0] !== undefined) throw invalid(problems[0].start, problems[0].message)
  const byExample = isObject(value) ? value.replies : undefined
  if (!isObject(byExample))
    throw invalid(locate({ pointer: ['replies'] }).start, 'it must have "replies": example names with what the model says')
  return {
    name: 'scripted',
    async complete({ example }) {
      if (!Object.hasOwn(byExample, example)) throw new Fault('reply_missing', { path, example })
      const reply = byExample[example]!
      return typeof reply === 'string' ? reply : JSON.stringify(reply)
    },
  }
}
