// What the host does not advertise, it does not do.
import { Fault } from '../../errors.ts'
import type { HostConfig } from '../config.ts'

/** Refuses before the body is read. */
export const gateOf = (config: HostConfig, capability: 'endpointsSupported' | 'mutableLibrary') => async (): Promise<void> => {
  if (!config.endpointsSupported || !config[capability]) throw new Fault('capability_not_provided', { capability: `prompts.${capability}` })
}
