// `npm run docs`: writes docs/reference from the code that runs.
// @ts-check
import { run as spawn } from '../setup/run.mjs'

/** @param {import('../jobs.mjs').Context} context */
export const run = async ({ root, args }) => (await spawn(process.execPath, ['scripts/docs.mjs', ...args], { cwd: root })).code
