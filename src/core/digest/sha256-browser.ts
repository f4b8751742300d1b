// SHA-256 without node:crypto. Synchronous, like sha256-node.ts.
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

export const sha256Hex = (bytes: string | Uint8Array): string => bytesToHex(sha256(typeof bytes === 'string' ? utf8ToBytes(bytes) : bytes))
