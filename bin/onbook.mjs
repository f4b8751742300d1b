#!/usr/bin/env node
// Starts the CLI. Nothing is decided here.
import { existsSync } from 'node:fs'

const cli = new URL('../dist/bundle/main.mjs', import.meta.url)
if (existsSync(cli)) {
  const { main } = await import(cli.href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  console.error('onbook is not built yet: run npm start once.')
  process.exitCode = 2
}
