// The commands around the host.
import { SCOPES } from '../core/access/keys.ts'
import type { Command } from './commands.ts'
import { DATA, HOST_CONFIG, JSON_OPTION, POLICY, RECORDINGS, REPO, SCRIPT, TENANT } from './options.ts'

export const HOST_COMMANDS: readonly Command[] = [
  {
    name: 'publish',
    arguments: ['[paths...]'],
    summary: 'check packs, agents and workflows and publish them, all or none; with --workspace, the folder as the next version of it too',
    options: [
      { flags: '--workspace <name>', summary: 'commit the whole folder as the next version of this workspace' },
      { flags: '--message <text>', summary: 'of the version, kept in the record' },
      { flags: '--expect <n>', summary: 'refuse unless this version is the newest; 0 when there should be none' },
      HOST_CONFIG,
      DATA,
      TENANT,
      JSON_OPTION,
    ],
    example: 'onbook publish newsdesk --workspace writer --message "shorter summaries"',
    load: async () => (await import('./host/publish.ts')).publish,
  },
  {
    name: 'label',
    arguments: ['<template>', '[label]', '[version]'],
    summary: 'show or move the labels of a template',
    options: [
      { flags: '--why <text>', summary: 'kept in the history' },
      { flags: '--history', summary: 'every move, oldest first' },
      { flags: '--remove', summary: 'take the label away' },
      { flags: '--protect', summary: 'only keys with labels:protect may move it' },
      { flags: '--unprotect', summary: 'everybody who may move labels may move it' },
      HOST_CONFIG,
      DATA,
      TENANT,
      JSON_OPTION,
    ],
    example: 'onbook label summarizer production 1.0.0 --why "first release"',
    load: async () => (await import('./host/label.ts')).label,
  },
  {
    name: 'serve',
    arguments: [],
    summary: 'run the host on this machine',
    options: [
      { flags: '--port <n>', summary: '0 for any free one (default: 4680)' },
      { flags: '--host <address>', summary: 'where it listens (default: 127.0.0.1)' },
      { flags: '--public-url <url>', summary: 'what people open when it is reached from elsewhere' },
      { flags: '--allow-host <name...>', summary: 'a further name, with its port, that it is reached by' },
      { flags: '--requests-per-minute <n>', summary: 'how often one key may ask; 0 for no limit (default: 300000)' },
      { flags: '--log-level <level>', summary: 'fatal, error, warn, info, debug or silent (default: warn)' },
      { flags: '--slow-ms <n>', summary: 'requests that take so long are logged (default: 1000)' },
      { flags: '--test-seams', summary: "also answer what OpenWOP's conformance suite asks" },
      REPO,
      SCRIPT,
      RECORDINGS,
      POLICY,
      HOST_CONFIG,
      DATA,
      TENANT,
      JSON_OPTION,
    ],
    example: 'onbook serve --port 0',
    load: async () => (await import('./host/serve.ts')).serve,
  },
  {
    name: 'keys',
    arguments: ['<action>', '[id]'],
    summary: 'create, list or revoke the keys that open the host; login makes a link to sign in with',
    options: [
      {
        flags: '--scopes <list>',
        summary: `scopes, separated by commas; all means every scope except metrics:read (default: all). Scopes: ${SCOPES.join(', ')}`,
      },
      {
        flags: '--workspaces <list>',
        summary: 'the workspaces it may use, separated by commas (default: *, all that exist in its tenant)',
      },
      { flags: '--expires <date>', summary: 'when it stops working (default: never)' },
      { flags: '--url <url>', summary: 'the host to sign in to (default: the one that runs on the folder)' },
      DATA,
      TENANT,
      JSON_OPTION,
    ],
    example: 'onbook keys create --tenant acme --scopes prompts:read,prompts:render',
    load: async () => (await import('./host/keys.ts')).keys,
  },
]
