// onbook run export, onbook run import: writes a run or a stream to a file for another machine, and imports a run file.
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ExportedRun, exportedStore } from '../../adapters/exported-run/exported-store.ts'
import { reasonOf } from '../../adapters/processes/reasons.ts'
import { databaseOf, openRecord, tenantOf, withRecord } from '../../book/record-folder.ts'
import type { Digest } from '../../core/digest/digest.ts'
import { type RunFileHeader, readObjectLine, readRunFileHeader } from '../../core/record/run-file.ts'
import { runStream } from '../../core/run/events.ts'
import { exportStream } from '../../engine/record/export-stream.ts'
import { exportRun } from '../../engine/run-files/export-run.ts'
import { Fault } from '../../errors.ts'
import type { Store } from '../../ports.ts'
import type { Input } from '../commands.ts'
import { hostFor, isHostNamed } from '../host/which-host.ts'
import { readDigest } from '../record/object.ts'
import { print, writeNew } from '../record/output.ts'
import { importedPath } from '../references/imported-path.ts'
import { visible } from '../report/visible.ts'
import { printJson } from '../terminal.ts'
import { exportedBy } from './exported-by.ts'

type Lines = AsyncIterable<string | Uint8Array>

export async function exportOne(input: Input): Promise<number> {
  const name = String(input.what)
  const without = new Set(((input.erase as readonly string[] | undefined) ?? []).map(readDigest))
  if (isHostNamed(input)) {
    if (without.size > 0) throw new Fault('usage_invalid', { problem: '--erase is for a record at rest: a host sends the run as it is' })
    return deliver(input, exportedBy((await hostFor(input))!, name), true)
  }
  const store = openRecord(input)
  try {
    const isRun = (await store.head(tenantOf(input), runStream(name))).seq >= 0
    if (!isRun && without.size > 0) throw new Fault('usage_invalid', { problem: '--erase is for a run: a stream is written as it is' })
    if (!isRun && (await store.head(tenantOf(input), name)).seq < 0)
      throw new Fault('run_missing', {
        problem: `There is no run, and no stream, named ${name}; "onbook run list" and "onbook store streams" list them`,
      })
    return await deliver(input, isRun ? runLines(store, input, name, without) : exportStream(store, tenantOf(input), name), isRun)
  } finally {
    await store.close()
  }
}

const runLines = (store: Store, input: Input, runId: string, without: ReadonlySet<Digest>): Lines =>
  exportRun(store, { tenant: tenantOf(input), runId, withPolicy: true, without })

async function deliver({ output, json }: Input, lines: Lines, isRun: boolean): Promise<number> {
  if (typeof output !== 'string') {
    const erased: Digest[] = []
    let header: RunFileHeader | null = null
    for await (const line of lines) {
      await print(line)
      if (!isRun || typeof line !== 'string') continue
      header ??= readRunFileHeader(line.trimEnd())
      const object = line.startsWith('{"digest":') ? readObjectLine(line.trimEnd()) : null
      if (object !== null && 'erased' in object) erased.push(object.digest)
    }
    process.stderr.write(toldLines(leftOutLines(erased, header?.leftOut ?? [])))
    return 0
  }
  await writeNew(output, lines)
  if (!isRun) {
    const check = `node node_modules/onbook/verify.mjs ${output} --public-key FILE`
    return say(json, { exported: output }, [`Wrote ${output}. Anybody can check it: ${check}`])
  }
  const { run, erased, leftOut } = await lookInto(output)
  return say(json, { exported: output, run, erased, leftOut }, [
    `Wrote ${output}. Anybody can check it: onbook verify ${output} --public-key FILE`,
    ...leftOutLines(erased, leftOut),
  ])
}

const leftOutLines = (erased: readonly Digest[], leftOut: RunFileHeader['leftOut']): readonly string[] => [
  ...erased.map(digest => `left out: the bytes of ${digest}`),
  ...leftOut.map(({ tenant, stream, reason }) => `left out: ${stream} of ${tenant}: ${reason}`),
]

/** Reads and verifies the whole file: a damaged file is not imported. */
async function lookInto(path: string): Promise<Pick<ExportedRun, 'erased'> & RunFileHeader> {
  const { store, header, erased } = await exportedStore(path)
  await store.close()
  return { ...header, erased }
}

export async function importRun(input: Input): Promise<number> {
  const file = String(input.file)
  const { run } = await lookInto(file)
  const path = importedPath(input, run)
  if (existsSync(databaseOf(input))) await refuseKnown(input, run)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new Fault('file_unwritable', { path, reason: reasonOf(error) }, { cause: error })
  })
  if (!(existsSync(path) && (await isSame(file, path)))) await writeNew(path, createReadStream(file))
  return say(input.json, { imported: path, run }, [`Imported ${run}. It is read-only: onbook show ${run}`])
}

/** One id must not name two runs: the imported run would hide the recorded one, whatever tenant the file names. */
const refuseKnown = (input: Input, run: string): Promise<void> =>
  withRecord(input, async store => {
    for (const tenant of await store.tenants())
      if ((await store.head(tenant, runStream(run))).seq >= 0)
        throw new Fault('run_exists', { problem: `Run ${run} is in this record already: it was not imported` })
  })

const isSame = async (a: string, b: string): Promise<boolean> => (await endOf(a)) === (await endOf(b))

/** The last line covers everything before it. */
async function endOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, Math.max(0, size - END_BYTES))
    return buffer.toString()
  } finally {
    await file.close()
  }
}

const END_BYTES = 82

function say(json: unknown, answer: object, lines: readonly string[]): number {
  if (json) printJson(answer)
  else process.stdout.write(toldLines(lines))
  return 0
}

const toldLines = (lines: readonly string[]): string => lines.map(line => `${visible(line)}\n`).join('')
