// onbook.host.yaml: the host's configuration as a person writes it. Read whole or not at all.
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import type { Json } from '../core/digest/digest.ts'
import { isObject, type JsonObject } from '../core/digest/is-object.ts'
import { positionText } from '../core/pack/place.ts'
import { readYaml } from '../core/pack/yaml.ts'
import { readPromptRef } from '../core/resolve/prompt-ref.ts'
import { DEFAULT_CONFIG, type HostConfig } from './config.ts'

const ref = Type.Optional(
  Type.Union([Type.String({ maxLength: 400 }), Type.Object({}, { additionalProperties: true })], {
    description: 'prompt:<templateId>[@<version>], or an object with templateId, libraryId, version, variableOverrides.',
  }),
)

/** onbook.host.yaml. Every key is optional; what is not there is as in `DEFAULT_CONFIG`. */
export const hostFormat = Type.Object(
  {
    supported: Type.Optional(Type.Boolean({ description: 'Runs resolve and compose prompts, and say so in events.' })),
    endpointsSupported: Type.Optional(Type.Boolean({ description: 'The library is there over HTTP. Off: every /v1/prompts answers 501.' })),
    mutableLibrary: Type.Optional(Type.Boolean({ description: 'Templates may be created, raised and removed over HTTP.' })),
    agentBindings: Type.Optional(
      Type.Boolean({ description: 'Agents speak in the resolution chain. Off is a state of migration: layer 2 is skipped.' }),
    ),
    observability: Type.Optional(Type.Enum(['off', 'hashed', 'full'], { description: 'How much of a composed prompt is shown.' })),
    libraryId: Type.Optional(
      Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,127}$', description: 'The name of the library that this host writes to.' }),
    ),
    maxTemplateBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_536 })),
    maxRenderRequestBytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 16 * 1024 * 1024 })),
    hostDefaults: Type.Optional(
      Type.Object(
        { system: ref, user: ref, 'few-shot': ref, 'schema-hint': ref },
        { additionalProperties: false, description: 'The last layer of the resolution chain. Changing one is an event.' },
      ),
    ),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://onbook.dev/schemas/host.json',
    title: 'Onbook host',
    description: 'What the host advertises and how it behaves. Every key is optional.',
    additionalProperties: false,
  },
)

export interface ReadHostFile {
  readonly config: HostConfig
  /** Sentences with line and column. Nothing of a file with problems is used. */
  readonly problems: readonly string[]
}

export function readHostFile(text: string): ReadHostFile {
  // Nothing but comments asks for nothing.
  if (text.replace(/#.*/g, '').trim() === '') return { config: DEFAULT_CONFIG, problems: [] }
  const document = readYaml(text)
  const value = document.value ?? {}
  const problems = [
    ...document.problems.map(({ start, message }) => `${positionText(text, start)}: ${message}`),
    ...complaintsAbout(value).map(({ pointer, message }) => `${positionText(text, document.locate({ pointer }).start)}: ${message}`),
  ]
  return problems.length > 0 ? { config: DEFAULT_CONFIG, problems } : { config: { ...DEFAULT_CONFIG, ...(value as JsonObject) }, problems }
}

interface Complaint {
  readonly pointer: readonly string[]
  readonly message: string
}

function complaintsAbout(value: Json): readonly Complaint[] {
  const wrong = Value.Errors(hostFormat, value).filter(({ keyword }) => keyword !== 'boolean' && keyword !== 'anyOf')
  const complaints = wrong.map(({ instancePath, message, params }): Complaint => {
    const pointer = instancePath.split('/').slice(1)
    const unknown = (params as { additionalProperties?: readonly string[] }).additionalProperties?.[0]
    if (unknown !== undefined) return { pointer: [...pointer, unknown], message: `there is no setting "${unknown}"` }
    const allowed = (params as { allowedValues?: readonly string[] }).allowedValues
    return { pointer, message: `"${pointer.join('.')}" ${allowed === undefined ? message : `must be one of ${allowed.join(', ')}`}` }
  })
  const defaults = isObject(value) && isObject(value.hostDefaults) ? value.hostDefaults : {}
  const refs = Object.entries(defaults).flatMap(([kind, ref]): Complaint[] => {
    const read = readPromptRef(ref)
    return read.ok ? [] : [{ pointer: ['hostDefaults', kind], message: `the default for ${kind} is no ref: ${read.problem}` }]
  })
  return [...complaints, ...refs]
}
