// What the host does not advertise, it does not do.
import { Fault } from '../../errors.ts'
import type { HostConfig } from '../config.ts'

/** What each capability needs beside itself. */
const NEEDS = {
  supported: ['supported'],
  endpointsSupported: ['endpointsSupported'],
  mutableLibrary: ['endpointsSupported', 'mutableLibrary'],
} as const

/** Refuses before the body is read. */
export const gateOf = (config: HostConfig, capability: keyof typeof NEEDS) => async (): Promise<void> => {
  if (!NEEDS[capability].every(needed => config[needed]))
    throw new Fault('capability_not_provided', { capability: `prompts.${capability}` })
}
