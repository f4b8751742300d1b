// Types of /v1/packs.
import type { Document } from './document.ts'
import type {
  activatedPackAnswer,
  activatePackBody,
  publishedPacksAnswer,
  publishPacksBody,
  retiredPackAnswer,
  retirePackBody,
} from './pack-schema.ts'

export type PublishPacksRequest = Document<typeof publishPacksBody>
export type PublishedPacks = Document<typeof publishedPacksAnswer>
export type ActivatePackRequest = Document<typeof activatePackBody>
export type ActivatedPack = Document<typeof activatedPackAnswer>
export type RetirePackRequest = Document<typeof retirePackBody>
export type RetiredPack = Document<typeof retiredPackAnswer>
