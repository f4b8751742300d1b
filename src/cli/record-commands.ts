// The commands that look into a record and keep it.
import type { Command, Option } from './commands.ts'
import { DATA, JSON_OPTION, LIMIT, TENANT, WHERE } from './options.ts'

const PUBLIC_KEY: Option = { flags: '--public-key <file>', summary: 'check signatures with these keys instead of the keyring' }
const BROKEN: Option = { flags: '--broken', summary: 'keep the copy even though it does not verify' }

export const RECORD_COMMANDS: readonly Command[] = [
  {
    name: 'streams',
    arguments: [],
    summary: 'list the streams of a record',
    options: [LIMIT, DATA, TENANT, JSON_OPTION],
    example: 'onbook streams',
    load: async () => (await import('./record/streams.ts')).streams,
  },
  {
    name: 'events',
    arguments: ['<stream>'],
    summary: 'print the events of a stream, oldest first',
    options: [
      { flags: '--after <seq>', summary: 'only those after this sequence' },
      { flags: '--follow', summary: 'and every new one, until stopped' },
      { ...LIMIT, summary: 'events to print (default: 50; with --json or --follow, all)' },
      DATA,
      TENANT,
      { flags: '--json', summary: 'print the recorded bytes, one event a line' },
    ],
    example: 'onbook events audit --follow',
    load: async () => (await import('./record/events.ts')).events,
  },
  {
    name: 'object',
    arguments: ['<digest>'],
    summary: 'print the bytes that have this name',
    options: [{ flags: '--output <file>', summary: 'write them to a new file instead' }, DATA, TENANT, JSON_OPTION],
    example: 'onbook object sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    load: async () => (await import('./record/object.ts')).object,
  },
  {
    name: 'verify',
    arguments: ['[ref]'],
    summary: 'check that the record, or one run of it or in a file, is what was written',
    options: [{ flags: '--anchor <file>', summary: 'compare with a copy kept elsewhere' }, PUBLIC_KEY, DATA, JSON_OPTION],
    example: 'onbook verify --anchor anchor.jsonl --public-key onbook.pem',
    load: async () => (await import('./record/verify.ts')).verify,
  },
  {
    name: 'checkpoint',
    arguments: [],
    summary: 'sign every stream that has moved since the last checkpoint',
    options: [DATA, JSON_OPTION],
    example: 'onbook checkpoint',
    load: async () => (await import('./record/keep.ts')).checkpoint,
  },
  {
    name: 'anchor',
    arguments: ['<file>'],
    summary: 'sign, and write a copy of the last checkpoints to keep elsewhere',
    options: [{ flags: '--public-key <file>', summary: 'write the public keys too' }, DATA, JSON_OPTION],
    example: 'onbook anchor anchor.jsonl --public-key onbook.pem',
    load: async () => (await import('./record/keep.ts')).anchor,
  },
  {
    name: 'export',
    arguments: ['<what>'],
    summary: 'write a run with all that questions about it need, or one stream for verify.mjs, into one file',
    options: [
      { flags: '-o, --output <file>', summary: 'a new file instead of standard output; then says what was left out' },
      {
        flags: '--erase <digest>',
        summary: 'of a run: keep the bytes of this object here, and name it as erased; may be repeated',
        repeated: true,
      },
      ...WHERE,
    ],
    example: 'onbook export run_0123456789abcdefghjkmnpq --output run.jsonl',
    load: async () => (await import('./questions/transfer.ts')).exportOne,
  },
  {
    name: 'import',
    arguments: ['<file>'],
    summary: 'verify an exported run and keep it beside the record, to be looked at',
    options: [DATA, JSON_OPTION],
    example: 'onbook import run.jsonl',
    load: async () => (await import('./questions/transfer.ts')).importRun,
  },
  {
    name: 'backup',
    arguments: ['<file>'],
    summary: 'write a consistent, verified copy while the record is in use',
    options: [BROKEN, DATA, JSON_OPTION],
    example: 'onbook backup onbook-monday.db',
    load: async () => (await import('./record/keep.ts')).backup,
  },
  {
    name: 'restore',
    arguments: ['<file>'],
    summary: 'verify a backup and put it where no record is',
    options: [BROKEN, PUBLIC_KEY, DATA, JSON_OPTION],
    example: 'onbook restore onbook-monday.db --data restored',
    load: async () => (await import('./record/keep.ts')).restore,
  },
  {
    name: 'rebuild',
    arguments: [],
    summary: 'drop every projection and make it again from the streams',
    options: [DATA, JSON_OPTION],
    example: 'onbook rebuild',
    load: async () => (await import('./record/keep.ts')).rebuild,
  },
  {
    name: 'erase',
    arguments: ['<digest>'],
    summary: "take an object's bytes away, and record that it was done",
    options: [{ flags: '--why <text>', summary: 'kept in the record' }, DATA, TENANT, JSON_OPTION],
    example: 'onbook erase sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824 --why "asked to be forgotten"',
    load: async () => (await import('./record/keep.ts')).erase,
  },
  {
    name: 'collect',
    arguments: [],
    summary: 'drop objects that nothing has spoken of for a day',
    options: [DATA, JSON_OPTION],
    example: 'onbook collect',
    load: async () => (await import('./record/keep.ts')).collect,
  },
]
