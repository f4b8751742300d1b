// SHA-256 where there is no node:crypto. Synchronous, like its twin.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

export const sha256Hex = (bytes: string | Uint8Array): string => bytesToHex(sha256(typeof bytes === 'string' ? utf8ToBytes(bytes) : bytes))
