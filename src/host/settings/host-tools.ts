// The tools section of onbook.host.yaml: which of the five repo tools this host provides, and their limits. The policy decides who may use one.
import { Type } from 'typebox'
import { REPO_TOOLS } from '../../core/tools/repo-descriptors.ts'

const MOST_MS = 2_147_483_647
const MEGABYTE = 1024 * 1024
const number = (description: string, maximum: number) => Type.Optional(Type.Integer({ minimum: 1, maximum, description }))
/** Must not look like a digest: the store would take it for the name of an object. */
const paths = (description: string) =>
  Type.Optional(
    Type.Array(Type.String({ pattern: '^(?!sha256:)[^\\x00]{1,4096}$' }), {
      maxItems: 1000,
      description: `${description} From the root of the repo, or absolute.`,
    }),
  )

export const hostToolsFormat = Type.Object(
  {
    bind: Type.Array(Type.Enum([...REPO_TOOLS]), {
      uniqueItems: true,
      maxItems: REPO_TOOLS.length,
      description: 'Tools that work on the repo (--repo) and that this host can do. What is not named here never runs.',
    }),
    env: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]{0,127}$' }), {
        maxItems: 200,
        description: 'Names of variables that commands are given besides PATH, LANG, LC_*, TERM and TMPDIR.',
      }),
    ),
    protect: paths('What no tool writes or deletes, and where no command starts, besides what always is so.'),
    hide: paths('What no tool even reads or lists, besides the folder of the record.'),
    readHardLinks: Type.Optional(
      Type.Boolean({
        description: 'Read files that have several names. Some package managers lay out dependencies so; a name may lead outside.',
      }),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          readBytes: number('Of a file that is read: 256 KiB unless it is said.', MEGABYTE),
          writeBytes: number('Of a file that is written: 1 MiB unless it is said.', MEGABYTE),
          entries: number('Of a folder that is listed: 2000 unless it is said.', 10_000),
          commandMs: number('For a command, which is then ended: two minutes unless it is said. In milliseconds.', MOST_MS),
          outputCharacters: number('What is kept of what a command prints, from both ends: 256 Ki characters unless it is said.', MEGABYTE),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false, description: 'Tools of the host that work on a repo. None unless they are named.' },
)

export type HostTools = Readonly<Type.Static<typeof hostToolsFormat>>
