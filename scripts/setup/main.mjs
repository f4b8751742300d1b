// Command line of the bootstrap: `node scripts/bootstrap.mjs <job> [--verbose] [arguments of the job]`.
// @ts-check
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { JOBS } from '../jobs.mjs'
import { prepare } from './prepare.mjs'
import { reasonOf } from './refuse.mjs'

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** @param {readonly string[]} argv @returns {Promise<number>} the exit code */
export async function main([name = '', ...rest]) {
  const job = Object.hasOwn(JOBS, name) ? JOBS[name] : undefined
  if (job === undefined) {
    console.error(`No job named "${name}". There are: ${Object.keys(JOBS).join(', ')}.`)
    return 2
  }
  const verbose = rest[0] === '--verbose'
  const args = verbose ? rest.slice(1) : rest

  try {
    await prepare(ROOT, verbose)
    // What a job starts may call npm again. It finds this checkout ready, also under another Node than the one that set it up.
    process.env.ONBOOK_READY = ROOT
    const { run } = await job.load()
    return await run({ root: ROOT, args })
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === null) throw error
    console.error(reason.message)
    return reason.code
  }
}
