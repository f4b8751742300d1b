// onbook.policy.yaml: what the operator allows, as a person writes it. Read from where the host is started and from nowhere else.
import { Type } from 'typebox'
import { DEFAULT_POLICY, type HostPolicy } from '../core/gate/host-policy.ts'
import { READING } from '../core/workspace/policy.ts'
import { readSettings } from './settings-file.ts'

const CLOSED = { additionalProperties: false }
/** No digest: what is on record must not read as one. */
const name = Type.String({ pattern: '^[A-Za-z0-9._~/*-]{1,128}$' })
const names = (description: string) => Type.Optional(Type.Array(name, { maxItems: 1000, description }))
const tenants = names('Which tenants (default: all). A name may end in *.')

const grant = Type.Object(
  {
    tools: Type.Array(name, { minItems: 1, maxItems: 1000, description: 'Tools by name; a name may end in *.' }),
    tenants,
    agents: names('Home sessions by name (default: all). A name may end in *.'),
    roles: names('Roles by name (default: all, and those without one).'),
    approval: Type.Optional(Type.Boolean({ description: 'Granted once a person has approved the call.' })),
  },
  CLOSED,
)

const readable = Type.Object(
  {
    tenants,
    sessions: names('Which sessions (default: all). A name may end in *.'),
    workspaces: Type.Array(name, { maxItems: 1000, description: 'Workspaces by name; * for all of the tenant.' }),
    operations: Type.Optional(Type.Array(Type.Enum([...READING]), { description: 'Default: all that read.' })),
    paths: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z0-9._~/-]{1,4096}$' }), { description: 'Each with everything below it (default: all).' }),
    ),
  },
  CLOSED,
)

export const policyFormat = Type.Object(
  {
    grants: Type.Optional(
      Type.Array(grant, {
        maxItems: 1000,
        description: 'Who is granted which tool. What no grant names is not granted; the first that fits decides.',
      }),
    ),
    workspaces: Type.Optional(
      Type.Array(readable, { maxItems: 1000, description: 'What sessions may read. Without this, each the workspaces of its tenant.' }),
    ),
    offer: Type.Optional(
      Type.Array(name, {
        maxItems: 1000,
        description: 'Tools of the host itself that a model is shown when nothing else names any (default: none).',
      }),
    ),
  },
  {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://onbook.dev/schemas/policy.json',
    title: 'Onbook policy',
    description: 'What sessions on this host are allowed. Every key is optional; no content can supply any of it.',
    additionalProperties: false,
  },
)

export interface ReadPolicyFile {
  readonly policy: HostPolicy
  /** Sentences with line and column. Nothing of a file with problems is used. */
  readonly problems: readonly string[]
}

export function readPolicyFile(text: string): ReadPolicyFile {
  const { settings, problems } = readSettings(text, policyFormat)
  return { policy: { ...DEFAULT_POLICY, ...settings }, problems }
}
