// The commands around the host.
import type { Command } from './commands.ts'
import { DATA, HOST_CONFIG, JSON_OPTION, TENANT } from './options.ts'

export const HOST_COMMANDS: readonly Command[] = [
  {
    name: 'publish',
    arguments: ['[paths...]'],
    summary: 'check packs and publish their templates to the library, in one commit',
    options: [HOST_CONFIG, DATA, TENANT, JSON_OPTION],
    example: 'onbook publish prompts/summarizer',
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
      { flags: '--test-seams', summary: "also answer what OpenWOP's conformance suite asks" },
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
    summary: 'create, list or revoke the keys that open the host',
    options: [
      { flags: '--scopes <list>', summary: 'what it may do, separated by commas (default: everything)' },
      { flags: '--expires <date>', summary: 'when it stops working (default: never)' },
      DATA,
      TENANT,
      JSON_OPTION,
    ],
    example: 'onbook keys create --tenant acme --scopes prompts:read,prompts:render',
    load: async () => (await import('./host/keys.ts')).keys,
  },
]
