// What the host does not advertise, it does not do.
import type { onRequestHookHandler } from 'fastify'
import { Fault } from '../../errors.ts'
import type { HostConfig } from '../config.ts'

/** What each capability needs beside itself. */
const NEEDS = {
  supported: ['supported'],
  resolve: ['endpointsSupported', 'supported'],
  endpointsSupported: ['endpointsSupported'],
  mutableLibrary: ['endpointsSupported', 'mutableLibrary'],
} as const

/** Hooks that refuse before the body is read; none where there is nothing to refuse. */
export function gateOf(config: HostConfig, capability: keyof typeof NEEDS): onRequestHookHandler[] {
  const missing = NEEDS[capability].find(needed => !config[needed])
  if (missing === undefined) return []
  return [(_request, _reply, done) => done(new Fault('capability_not_provided', { capability: `prompts.${missing}` }))]
}
