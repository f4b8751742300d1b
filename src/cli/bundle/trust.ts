// Options that verify and install share.

import { hostConfigOf } from '../../book/host-config.ts'
import { isIntegrity } from '../../core/bundle/integrity.ts'
import type { BundleTrust } from '../../engine/bundle/check-bundle.ts'
import { Fault } from '../../errors.ts'
import type { CheckSignature } from '../../ports.ts'
import type { Input } from '../commands.ts'

export function trustOf(input: Input, check: CheckSignature): BundleTrust {
  const integrity = typeof input.integrity === 'string' ? input.integrity : null
  if (integrity !== null && !isIntegrity(integrity))
    throw new Fault('usage_invalid', { problem: '--integrity is sha256: and 64 hex digits, or sha256- and base64' })
  return { check, integrity, allowUnsigned: input.allowUnsigned === true, maxTemplateBytes: hostConfigOf(input).maxTemplateBytes }
}
