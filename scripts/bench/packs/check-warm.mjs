// @ts-check
// Checks the same workspace again and again in one process: nothing is kept between rounds but what the engine keeps itself.
import { checkPacks, folderFiles, openWorkspace, workerValidator } from 'onbook'

const folder = process.argv[2] ?? '.'
const validator = workerValidator()
const rounds = []
for (let round = 0; round < 7; round++) {
  const started = performance.now()
  const workspace = await openWorkspace(folderFiles(folder))
  let findings = 0
  for await (const checked of checkPacks(workspace, validator, workspace.packs))
    findings += checked.findings.filter(({ severity }) => severity === 'error').length
  if (findings > 0) throw new Error(`${findings} errors: this benchmark must measure clean packs`)
  rounds.push(workspace.packs.length / ((performance.now() - started) / 1000))
}
await validator.close()
process.stdout.write(JSON.stringify({ rounds, rssMb: process.resourceUsage().maxRSS / 1024 }))
