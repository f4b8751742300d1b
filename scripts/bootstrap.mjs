// The door every npm script goes through: makes this checkout ready (packages, build, links), then runs one job.
// Imports nothing before the version check, so that an old Node says what is wrong instead of a syntax error.
const NEEDED = [20, 19]
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  console.error(`Onbook needs Node ${NEEDED.join('.')} or newer. This is Node ${process.versions.node}.`)
  process.exit(1)
}

import('./setup/main.mjs')
  .then(setup => setup.main(process.argv.slice(2)))
  .then(code => {
    process.exitCode = code
  })
