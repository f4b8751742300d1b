// SHA-256 on Node. The one place in core that a browser build swaps out (package.json, imports, #sha256).
import { hash } from 'node:crypto'

export const sha256Hex = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex')
