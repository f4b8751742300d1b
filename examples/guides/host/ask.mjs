// @ts-check
// Asks a host: lists prompts, renders one. The host is the one that runs on this folder.
import { readFileSync } from 'node:fs'
import { createClient } from 'onbook/client'

const host = createClient({ url: process.argv[2] ?? '', key: readFileSync('.onbook/local.key', 'utf8').trim() })
for await (const { templateId, version } of host.prompts.list({ kind: 'system' })) console.log(templateId, version)
console.log((await host.render({ ref: 'prompt:greeter', variables: { name: 'Ada' } })).composed)
