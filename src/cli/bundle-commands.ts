// The commands around bundles.
import type { Command, Option } from './commands.ts'
import { DATA, HOST_CONFIG, JSON_OPTION, LIMIT, TENANT } from './options.ts'

const TRUST_ROOT: Option = {
  flags: '--trust-root <file>',
  summary: 'a public key to believe, beside those in <data>/trust; may be repeated',
  repeated: true,
}
const INTEGRITY: Option = { flags: '--integrity <digest>', summary: 'refuse all bytes but these: sha256:… or sha256-…' }

export const BUNDLE_COMMANDS: readonly Command[] = [
  {
    name: 'bundle build',
    arguments: ['[paths...]'],
    summary: 'check packs and write their templates into a pack.json',
    options: [
      { flags: '--name <name>', summary: 'such as vendor.acme.prompts' },
      { flags: '--version <version>', summary: 'such as 1.0.0' },
      { flags: '--output <dir>', summary: 'the folder of the bundle' },
      { flags: '--description <text>', summary: 'for people' },
      { flags: '--depends <name@range>', summary: 'a bundle that must be there first; may be repeated', repeated: true },
      HOST_CONFIG,
      JSON_OPTION,
    ],
    example: 'onbook bundle build prompts --name vendor.acme.prompts --version 1.0.0 --output bundle',
    load: async () => (await import('./bundle/build.ts')).build,
  },
  {
    name: 'bundle sign',
    arguments: ['<bundle>'],
    summary: 'sign the bytes of a pack.json: pack.json.sig beside it',
    options: [{ flags: '--key <file>', summary: 'an Ed25519 private key, PKCS #8 PEM' }, HOST_CONFIG, JSON_OPTION],
    example: 'onbook bundle sign bundle --key acme-private.pem',
    load: async () => (await import('./bundle/sign.ts')).signBundle,
  },
  {
    name: 'bundle verify',
    arguments: ['<bundle>'],
    summary: 'say what is in a bundle, who signed it, and everything that is wrong',
    options: [TRUST_ROOT, INTEGRITY, HOST_CONFIG, DATA, JSON_OPTION],
    example: 'onbook bundle verify bundle --trust-root acme.pem',
    load: async () => (await import('./bundle/verify.ts')).verifyBundle,
  },
  {
    name: 'bundle install',
    arguments: ['<bundle>'],
    summary: 'verify a bundle and put its templates into the library that has its name, in one commit',
    options: [
      TRUST_ROOT,
      INTEGRITY,
      { flags: '--allow-unsigned', summary: 'bear a missing signature, and record that; never a wrong one' },
      HOST_CONFIG,
      DATA,
      TENANT,
      JSON_OPTION,
    ],
    example: 'onbook bundle install bundle --trust-root acme.pem',
    load: async () => (await import('./bundle/install.ts')).install,
  },
  {
    name: 'bundle list',
    arguments: [],
    summary: 'list the bundles that are installed',
    options: [LIMIT, DATA, TENANT, JSON_OPTION],
    example: 'onbook bundle list',
    load: async () => (await import('./bundle/list.ts')).list,
  },
]
