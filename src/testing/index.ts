// onbook/testing: what somebody needs who writes a store of their own. Names are listed one by one; a test pins the list.
export { CONTRACT_PROJECTIONS, type ContractCase, type StorePlace } from './contract/place.ts'
export { type ContractOptions, storeContract } from './contract/store-contract.ts'
export { writeUntilKilled } from './contract/writer.ts'
