// Folder: Code that tests share, and the contract of a store (onbook/testing). The product does not import it.
// onbook/testing: for authors of a store, and for tests of a host. Names are listed one by one; a test pins the list.
export {
  type CapabilityDocument,
  type CapabilityGate,
  readCapabilities,
  requireMutableLibrary,
  requirePromptAgentBindings,
  requirePromptBodies,
  requirePromptEndpoints,
  requirePromptPacks,
  requirePrompts,
  requireReplay,
  requireSecrets,
} from './capability-gates.ts'
export { CONTRACT_PROJECTIONS, type ContractCase, type StorePlace } from './contract/place.ts'
export { type ContractOptions, storeContract } from './contract/store-contract.ts'
export { writeUntilKilled } from './contract/writer.ts'
