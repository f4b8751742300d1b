// Commands about bundles.
import type { Command, Option } from '../commands.ts'
import { DATA, HOST_CONFIG, JSON_OPTION, LIMIT, TENANT } from './options.ts'

const TRUST_ROOT: Option = {
  flags: '--trust-root <file>',
  summary: 'public key to trust, beside those in <data>/trust; may be repeated',
  repeated: true,
}
const INTEGRITY: Option = { flags: '--integrity <digest>', summary: 'required digest of the bundle: sha256:… or sha256-…' }

export const BUNDLE_COMMANDS: readonly Command[] = [
  {
    name: 'bundle build',
    arguments: ['[paths...]'],
    summary: 'check packs and write them as a bundle',
    options: [
      { flags: '--name <name>', summary: 'name of the bundle, such as vendor.acme.prompts' },
      { flags: '--version <version>', summary: 'version of the bundle, such as 1.0.0' },
      { flags: '--output <dir>', summary: 'folder of the bundle' },
      { flags: '--description <text>', summary: 'description for people' },
      { flags: '--depends <name@range>', summary: 'bundle that must be installed first; may be repeated', repeated: true },
      HOST_CONFIG,
      JSON_OPTION,
    ],
    example: 'onbook bundle build prompts --name vendor.acme.prompts --version 1.0.0 --output bundle',
    load: async () => (await import('../bundle/build.ts')).build,
  },
  {
    name: 'bundle sign',
    arguments: ['<bundle>'],
    summary: 'sign a bundle: write pack.json.sig beside its pack.json',
    options: [{ flags: '--key <file>', summary: 'Ed25519 private key file, PKCS #8 PEM' }, HOST_CONFIG, JSON_OPTION],
    example: 'onbook bundle sign bundle --key acme-private.pem',
    load: async () => (await import('../bundle/sign.ts')).signBundle,
  },
  {
    name: 'bundle verify',
    arguments: ['<bundle>'],
    summary: 'show the content, signer and problems of a bundle',
    options: [TRUST_ROOT, INTEGRITY, HOST_CONFIG, DATA, JSON_OPTION],
    example: 'onbook bundle verify bundle --trust-root acme.pem',
    load: async () => (await import('../bundle/verify.ts')).verifyBundle,
  },
  {
    name: 'bundle install',
    arguments: ['<bundle>'],
    summary: 'verify a bundle and install its templates',
    options: [
      TRUST_ROOT,
      INTEGRITY,
      { flags: '--allow-unsigned', summary: 'accept a missing signature, and record that; never a wrong one' },
      HOST_CONFIG,
      DATA,
      TENANT,
      JSON_OPTION,
    ],
    example: 'onbook bundle install bundle --trust-root acme.pem',
    load: async () => (await import('../bundle/install.ts')).install,
  },
  {
    name: 'bundle list',
    arguments: [],
    summary: 'list the installed bundles',
    options: [LIMIT, DATA, TENANT, JSON_OPTION],
    example: 'onbook bundle list',
    load: async () => (await import('../bundle/list.ts')).list,
  },
]
