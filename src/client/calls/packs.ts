// Publishes packs of a folder to the library of a host. The command line compiles and tests them first.
import type {
  ActivatedPack,
  ActivatePackRequest,
  PublishedPacks,
  PublishPacksRequest,
  RetiredPack,
  RetirePackRequest,
} from '../../wire/onbook/packs.ts'
import { answerWith } from '../shapes.ts'
import type { CallOptions, Transport } from '../transport.ts'

export interface Packs {
  /** The host skips templates that the library already has, byte for byte. The same call again changes nothing. */
  publish(packs: PublishPacksRequest, options?: CallOptions): Promise<PublishedPacks>
  /** Publishes templates that are new and makes all of them active, in one commit. */
  activate(pack: ActivatePackRequest, options?: CallOptions): Promise<ActivatedPack>
  /** Forbids a version of templates from ever becoming active again. */
  retire(pack: RetirePackRequest, options?: CallOptions): Promise<RetiredPack>
}

export function createPacks(transport: Transport): Packs {
  const post = async (verb: string, body: object, options: CallOptions, field: string): Promise<unknown> =>
    answerWith((await transport.ask({ method: 'POST', path: `/v1/packs:${verb}`, body, ...options })).body, field)
  return {
    publish: async (packs, options = {}) => (await post('publish', packs, options, 'published')) as PublishedPacks,
    activate: async (pack, options = {}) => (await post('activate', pack, options, 'active')) as ActivatedPack,
    retire: async (pack, options = {}) => (await post('retire', pack, options, 'version')) as RetiredPack,
  }
}
