// Refuses requests for capabilities that the host does not advertise.
import type { onRequestHookHandler } from 'fastify'
import { Fault } from '../../errors.ts'
import type { HostConfig } from '../config.ts'

/** The capabilities that each one depends on. */
const NEEDS = {
  supported: ['supported'],
  resolve: ['endpointsSupported', 'supported'],
  endpointsSupported: ['endpointsSupported'],
  mutableLibrary: ['endpointsSupported', 'mutableLibrary'],
} as const

/** Hooks that refuse before the body is read; an empty list when the capability is on. */
export function gateOf(config: HostConfig, capability: keyof typeof NEEDS): onRequestHookHandler[] {
  const missing = NEEDS[capability].find(needed => !config[needed])
  if (missing === undefined) return []
  return [(_request, _reply, done) => done(new Fault('capability_not_provided', { capability: `prompts.${missing}` }))]
}
