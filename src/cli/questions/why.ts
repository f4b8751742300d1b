// Folder: The questions: why, blame, diff, prefix, replay, regression.
// onbook why: shows which source of a prompt won, and why; for a recorded run, or for files that were not run yet.
import { existsSync } from 'node:fs'
import { memoryStore } from '../../adapters/memory-store/memory-store.ts'
import { hostConfigOf } from '../../book/host-config.ts'
import { openProductStore } from '../../book/product-store.ts'
import { clock, databaseOf, tenantOf } from '../../book/record-folder.ts'
import { KINDS } from '../../core/resolve/resolve.ts'
import { refusedIn } from '../../core/why/chain.ts'
import { PRODUCT_PROJECTIONS } from '../../engine/record/projections.ts'
import { type WhyAnswer, type WhyChoice, type WhyQuestion, whyRun } from '../../engine/why/why.ts'
import { whyEdited } from '../../engine/why/why-edit.ts'
import { Fault } from '../../errors.ts'
import type { Input } from '../commands.ts'
import { preparedFile } from '../runs/publish-file.ts'
import { choiceOption, numberOption, printJson, useColor } from '../terminal.ts'
import { openQuestioned } from './open.ts'
import { whyPage } from './why-page.ts'

export async function why(input: Input): Promise<number> {
  const { run, edit } = input
  if ((run === undefined) === (edit === undefined)) throw usage('name a run, or a file with --edit')
  if (edit !== undefined && input.visit !== undefined) throw usage('--visit belongs to a run: files have none')
  const answers = edit === undefined ? await ofRun(input, String(run)) : await ofFile(input, String(edit))
  if (input.json) printJson(answers)
  else if (answers.length === 0) process.stdout.write('No node has received a prompt yet.\n')
  else process.stdout.write(whyPage(answers, useColor(process.stdout)))
  // A recorded refusal is not a finding; a refusal that would happen is one.
  return edit !== undefined && answers.some(({ chain }) => refusedIn(chain) !== null) ? 1 : 0
}

const usage = (problem: string): Fault<'usage_invalid'> => new Fault('usage_invalid', { problem })

const questionOf = ({ node, kind, visit }: Input): WhyQuestion => ({
  nodeId: node === undefined ? undefined : String(node),
  kind: kind === undefined ? undefined : choiceOption(kind, '--kind', KINDS),
  visit: visit === undefined ? undefined : numberOption(visit, '--visit', 1, { least: 1, most: Number.MAX_SAFE_INTEGER }),
})

async function ofRun(input: Input, ref: string): Promise<readonly WhyAnswer[]> {
  const question = questionOf(input)
  const { store, tenant, runId, close } = await openQuestioned(input, ref)
  try {
    return await whyRun(store, tenant, runId, question)
  } finally {
    await close()
  }
}

async function ofFile(input: Input, path: string): Promise<readonly WhyChoice[]> {
  const question = questionOf(input)
  const edited = await preparedFile(path)
  // A read-only command creates no record.
  const store = existsSync(databaseOf(input)) ? openProductStore(input) : memoryStore(clock, PRODUCT_PROJECTIONS)
  try {
    const { libraryId, hostDefaults, agentBindings, supported } = hostConfigOf(input)
    const opaqueRefs = supported ? {} : { opaqueRefs: true as const }
    return await whyEdited(
      { store, tenant: tenantOf(input), libraryId, hostDefaults, agentBindings, ...opaqueRefs },
      edited,
      clock(),
      question,
    )
  } finally {
    await store.close()
  }
}
