// onbook bundle sign: signs the bytes of a bundle. Refuses a malformed bundle.

import { writeWhole } from '../../adapters/folder/write-whole.ts'
import { reasonOf } from '../../adapters/processes/reasons.ts'
import { hostConfigOf } from '../../book/host-config.ts'
import { readManifest } from '../../core/bundle/manifest.ts'
import { printSignature } from '../../core/bundle/signature.ts'
import { bundleRefused } from '../../engine/bundle/check-bundle.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { printJson } from '../terminal.ts'
import { manifestAt, readBundle, signatureAt } from './files.ts'
import { signingKey } from './keys.ts'

export async function signBundle(input: Input): Promise<number> {
  if (typeof input.key !== 'string') throw new Fault('usage_invalid', { problem: '--key is needed: a file with an Ed25519 private key' })
  const sign = await signingKey(input.key)
  const { manifest } = await readBundle(String(input.bundle))
  const read = readManifest(manifest, hostConfigOf(input).maxTemplateBytes)
  if (read.problems.length > 0) throw bundleRefused(read.manifest, read.problems)
  const path = signatureAt(await manifestAt(String(input.bundle)))
  const signature = sign(manifest)
  await writeWhole(path, printSignature(signature)).catch((error: unknown) => {
    throw new Fault('file_unwritable', { path, reason: reasonOf(error) }, { cause: error })
  })
  if (input.json) printJson({ path, ...signature })
  else process.stdout.write(`Wrote ${path}, signed by ${signature.key}.\n`)
  return 0
}
