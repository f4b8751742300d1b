// @ts-check
// Reads a template from a bundle, without a host.
import { readFileSync } from 'node:fs'
import { createClient } from 'onbook/client'

const { prompts } = createClient({ offline: readFileSync('../bundle/pack.json', 'utf8') })
console.log((await prompts.get('prompt:summarizer')).template.version)
