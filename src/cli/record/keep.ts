// onbook store checkpoint, anchor, backup, restore, rebuild, erase, collect: commands that maintain a record.

import { backupStore, restoreStore } from '../../adapters/sqlite-store/backup.ts'
import { scratchSignedHeads } from '../../adapters/sqlite-store/inspect/scratch-signed-heads.ts'
import { actorOf, checkerOf, clock, databaseOf, folderOf, keyringOf, openRecord, tenantOf, withRecord } from '../../book/record-folder.ts'
import { verifyFile } from '../../book/verify-file.ts'
import { collectObjects, eraseObject } from '../../engine/record/erase.ts'
import { objectsHolding } from '../../engine/record/holding.ts'
import { type RefusedStream, sealStore } from '../../engine/record/seal.ts'
import { writeAnchor } from '../../engine/verify/anchors.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { verifyReport } from '../report/verify-report.ts'
import { visible } from '../report/visible.ts'
import { deliver, printJson } from '../terminal.ts'
import { readDigest } from './object.ts'

function say(input: Input, text: string, json: object): number {
  if (input.json) printJson(json)
  else process.stdout.write(`${text}\n`)
  return 0
}

export const checkpoint = (input: Input): Promise<number> =>
  withRecord(input, async store => {
    const signed = scratchSignedHeads()
    const { sealed, refused } = await sealStore(store, keyringOf(input), signed).finally(signed.close)
    const rest = refused.length === 0 ? 'Every stream was signed already.' : 'No other stream had to be signed.'
    say(input, sealed === 0 ? rest : `Signed ${plural(sealed, 'stream')}.`, { sealed, refused })
    return sayRefused(refused)
  })

/** Exit code 1 when there are any: they are traces of a rewritten history. */
function sayRefused(refused: readonly RefusedStream[], more = ''): number {
  if (refused.length === 0) return 0
  const lines = refused.map(({ tenant, stream, sequence, code }) => `  ${tenant} ${stream} ${sequence} ${code}`)
  process.stderr.write(
    `${lines.map(visible).join('\n')}\nRECORD TAMPERED WITH: ${plural(refused.length, 'stream')} not signed, because the events there are not those that were signed before.${more} Keep the file as evidence; "onbook verify" names every place.\n`,
  )
  return 1
}

export const anchor = (input: Input): Promise<number> =>
  withRecord(input, async store => {
    const [file, keys] = [String(input.file), input.publicKey]
    const keyring = keyringOf(input)
    const signed = scratchSignedHeads()
    const { text, refused } = await writeAnchor(store, keyring, signed).finally(signed.close)
    if (refused.length > 0) {
      if (input.json) printJson({ anchor: null, publicKey: null, refused })
      return sayRefused(refused, ` ${file} was not written.`)
    }
    if (text === '') throw new Fault('usage_invalid', { problem: 'there is nothing to anchor yet: the record is empty' })
    await deliver(text, file)
    const pem = (await keyring.publicKeys()).map(key => key.pem).join('')
    if (typeof keys === 'string') await deliver(pem, keys)
    const copies = typeof keys === 'string' ? `${file} and ${keys}` : file
    const more = typeof keys === 'string' ? '' : ' Whoever checks it needs the public keys: --public-key FILE writes them.'
    return say(input, `Wrote ${copies}. Keep a copy where no process or person that can write here can change it.${more}`, {
      anchor: file,
      publicKey: keys ?? null,
    })
  })

export async function backup(input: Input): Promise<number> {
  const file = String(input.file)
  await openRecord(input).close() // fails for a store that is missing or too new
  const done = await backupStore(databaseOf(input), file, copy => approve(input, copy))
  if (!done) return 1
  return say(input, `Wrote ${file}${verifiedOrNot(input)}. The keys in ${folderOf(input)}/keys are not in it: keep them apart.`, {
    backup: file,
  })
}

export async function restore(input: Input): Promise<number> {
  const [file, path] = [String(input.file), databaseOf(input)]
  const done = await restoreStore(file, path, copy => approve(input, copy))
  if (!done) return 1
  return say(input, `Restored ${path} from ${file}${verifiedOrNot(input)}.`, { restored: path })
}

const verifiedOrNot = (input: Input): string => (input.broken === true ? ', whether it verifies or not' : ', and verified it')

/** Reports a damaged copy and refuses it. */
async function approve(input: Input, copy: string): Promise<boolean> {
  const check = await checkerOf(input)
  const verified = await verifyFile(copy, { check })
  if (verified.intact || input.broken === true) return true
  if (input.json) printJson(verified)
  else
    process.stderr.write(
      `${verifyReport('The copy', verified, { keys: check !== null, anchors: 0 })}Nothing was written. With --broken it is kept as it is.\n`,
    )
  return false
}

export const rebuild = (input: Input): Promise<number> =>
  withRecord(input, async store => {
    const events = await store.rebuild()
    return say(input, `Made every projection again from ${plural(events, 'event')}.`, { events })
  })

export const erase = (input: Input): Promise<number> =>
  withRecord(input, async store => {
    if (input.run !== undefined || input.holding !== undefined) return eraseHolding(store, input)
    if (input.digest === undefined)
      throw new Fault('usage_invalid', { problem: 'name an object, or a run and a text with --run and --holding' })
    const [tenant, digest, why] = [tenantOf(input), readDigest(input.digest), input.message]
    if (typeof why !== 'string' || why.trim() === '')
      throw new Fault('usage_invalid', { problem: 'give the reason with -m: it stays in the record for ever' })
    await eraseObject(store, { tenant, digest, actor: actorOf(), why })
    return say(input, `Erased the bytes of ${digest}. That they were, by whom and why stays in stream audit. Backups still have them.`, {
      erased: digest,
    })
  })

/** Lists the objects; erases them when a reason is given. */
async function eraseHolding(store: Store, input: Input): Promise<number> {
  const { run, holding, message: why, digest } = input
  if (typeof run !== 'string' || typeof holding !== 'string' || holding === '' || digest !== undefined)
    throw new Fault('usage_invalid', { problem: '--run and --holding belong together: a run, and a text that its objects hold' })
  const tenant = tenantOf(input)
  const objects = await objectsHolding(store, tenant, run, holding)
  const isErasing = typeof why === 'string' && why.trim() !== ''
  if (isErasing) for (const name of objects) await eraseObject(store, { tenant, digest: name, actor: actorOf(), why })
  const what = `${plural(objects.length, 'object')} of run ${run} ${objects.length === 1 ? 'holds' : 'hold'} this text`
  const next = isErasing ? 'erased. Backups and exported files still have them' : 'not erased; -m "reason" erases them'
  const text = [...objects, visible(`${what}${objects.length === 0 ? '.' : `: ${next}.`}`)].join('\n')
  say(input, text, { run, objects, erased: isErasing })
  return objects.length === 0 ? 1 : 0
}

export const collect = (input: Input): Promise<number> =>
  withRecord(input, async store => {
    const collected = await collectObjects(store, clock)
    return say(input, `Dropped ${plural(collected, 'object')} that nothing spoke of for a day.`, { collected })
  })

const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
