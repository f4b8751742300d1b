// @ts-check
// Prints what is generated from the code that runs: schemas/ and docs/reference/. With --check it writes nothing and fails on any difference.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { helpPage } from '../dist/cli/commands/help.js'
import { DAILY, GROUPS } from '../dist/cli/commands/map.js'
import { COMMANDS } from '../dist/cli/commands.js'
import { createParser } from '../dist/cli/main.js'
import { agentFormat } from '../dist/core/agent/agent-format.js'
import { signatureFormat } from '../dist/core/bundle/signature.js'
import { policyFormat } from '../dist/core/gate/policy-format.js'
import { configFormat } from '../dist/core/lint/config.js'
import { RULES } from '../dist/core/lint/rules.js'
import { packFormat } from '../dist/core/pack/format.js'
import { registryFormat } from '../dist/core/pack/registry.js'
import { runConfigFormat, sessionConfigFormat } from '../dist/core/session/config-format.js'
import { workflowFormat } from '../dist/core/workflow/workflow-format.js'
import { workspaceIndexFormat } from '../dist/core/workspace/index-format.js'
import { FAULTS } from '../dist/errors.js'
import { capabilityDocument, DEFAULT_CONFIG } from '../dist/host/config.js'
import { hostFormat } from '../dist/host/settings/host-file.js'

/** @param {unknown} schema */
const json = schema => `${JSON.stringify(schema, null, 2)}\n`

/** @type {Readonly<Record<string, string>>} */
const files = {
  'schemas/prompt-pack.schema.json': json(packFormat),
  'schemas/config.schema.json': json(configFormat),
  'schemas/registry.schema.json': json(registryFormat),
  'schemas/session-config.schema.json': json(sessionConfigFormat),
  'schemas/run-config.schema.json': json(runConfigFormat),
  'schemas/agent.schema.json': json(agentFormat),
  'schemas/workflow.schema.json': json(workflowFormat),
  'schemas/agent-workspace.schema.json': json(workspaceIndexFormat),
  'schemas/host.schema.json': json(hostFormat),
  'schemas/policy.schema.json': json(policyFormat),
  'schemas/bundle-signature.schema.json': json(signatureFormat),
  'docs/reference/rules.md': rules(),
  'docs/reference/cli.md': cli(),
  'docs/reference/errors.md': errors(),
  'docs/reference/openwop-support.md': openwop(),
}

const check = process.argv.includes('--check')
let stale = 0
for (const [path, text] of Object.entries(files)) {
  if (read(path) === text) continue
  stale++
  if (check) console.error(`${path} is not what the code says. Run: npm run docs`)
  else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`wrote ${path}`)
  }
}
process.exitCode = check && stale > 0 ? 1 : 0

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function rules() {
  const table = RULES.map(({ name, severity, summary }) => `| [${name}](#${name}) | ${severity} | ${summary} |`).join('\n')
  const pages = RULES.map(({ name, severity }) => {
    const page = readFileSync(`src/core/lint/rules/${name}/README.md`, 'utf8').trim()
    const [title = '', ...body] = page.split('\n')
    if (title !== `# ${name}`) throw new Error(`the page of ${name} must begin with "# ${name}"`)
    return `## ${name}\n\nDefault severity: ${severity}.\n${body.map(line => line.replace(/^#/, '##')).join('\n')}`
  }).join('\n\n')
  return `# Lint rules\n\nGenerated from the rules. Severities and options are set in \`onbook.config.yaml\`:\n\n\`\`\`yaml\nrules:\n  vague-instruction: off            # or info, warning, error\n  max-prompt-length: { severity: error, limit: 6000 }\n\`\`\`\n\nTo accept one finding, say so where it stands, with a reason: \`# onbook-disable-next-line <rule> -- <reason>\` in YAML, \`{{! onbook-disable-next-line <rule> -- <reason> }}\` in the prompt. \`-line\` speaks of the comment's own line, \`-file\` of the whole file.\n\n| rule | severity | what must hold |\n|---|---|---|\n${table}\n\n${pages}\n`
}

function cli() {
  const parser = createParser(async () => undefined)
  /** @param {string} name */
  const page = name => {
    const command = /** @type {import('commander').Command} */ (
      name
        .split(' ')
        .reduce(
          (group, word) => group?.commands.find(one => one.name() === word),
          /** @type {import('commander').Command | undefined} */ (parser),
        )
    )
    command.configureHelp({ ...command.configureHelp(), helpWidth: 100 })
    const { example } = /** @type {{ example: string }} */ (COMMANDS.find(one => one.name === name))
    return `### onbook ${name}\n\n\`\`\`\n${command.helpInformation().trim()}\n\`\`\`\n\n\`\`\`bash\n${example}\n\`\`\``
  }
  const groups = Object.entries(GROUPS).map(
    ([name, { summary, verbs, default: verb }]) =>
      `## ${name}\n\n${summary[0]?.toUpperCase()}${summary.slice(1)}. \`onbook ${name}\` alone is \`onbook ${name} ${verb}\`.\n\n${verbs.map(word => page(`${name} ${word}`)).join('\n\n')}`,
  )
  const old = COMMANDS.flatMap(({ name, aliases = [] }) => aliases.map(alias => `| \`${alias}\` | \`${name}\` |`)).sort()
  const head = `# Commands\n\nGenerated from the command table. Exit codes: 0 fine, 1 findings or differences, 2 usage or I/O, 128 + n for a test run that signal n ended.`
  const start = `\`onbook run <workflow>\` starts a workflow. A workflow whose id is a verb of the group, such as \`list\`, is started with \`onbook run start list\`, or by its file: \`onbook run ./list.yaml\`.`
  return `${head}\n\n\`\`\`\n${helpPage().trim()}\n\`\`\`\n\n${start}\n\n## Daily\n\n${DAILY.map(page).join('\n\n')}\n\n${groups.join('\n\n')}\n\n## Names of earlier releases\n\nThey work as before. \`--help\` leaves them out.\n\n| earlier name | name |\n|---|---|\n${old.join('\n')}\n`
}

function openwop() {
  const { prompts } = /** @type {{ prompts: Record<string, unknown> }} */ (capabilityDocument(DEFAULT_CONFIG))
  /** @type {Record<string, string>} */
  const meanings = {
    supported: 'prompts resolve through the chain of RFC 0029 and are composed as RFC 0027 says',
    endpointsSupported: 'the REST surface of RFC 0028 under `/v1/prompts`',
    templateKinds: 'all four kinds',
    variableSources: 'where values come from; secrets are never stored or shown',
    maxTemplateBytes: 'longer texts are refused',
    observability: 'whether rendered bodies are returned (`full`), only hashes (`hashed`), or nothing (`off`)',
    packsSupported: 'signed packs of kind `prompt` can be installed',
    mutableLibrary: 'users may create, replace and remove their own templates; versions are written once, for ever',
    library: 'the library that refs mean when they name none',
    defaults: "what applies when no other layer has anything to say; templates of the host's own library, checked when the host starts",
    agentBindings: 'agents take part in the chain; `false` is meant for hosts whose workflows still carry all prompts on nodes',
  }
  const rows = Object.entries(prompts).map(([name, value]) => {
    if (meanings[name] === undefined) throw new Error(`prompts.${name} has no explanation`)
    return `| \`prompts.${name}\` | \`${JSON.stringify(value)}\` | ${meanings[name]} |`
  })
  return `# OpenWOP support\n\nGenerated from the document that a host serves at \`/.well-known/openwop\`: what it says and what it does are read from the same values.\n\n| capability | here | means |\n|---|---|---|\n${rows.join('\n')}\n\nRuns, workflows and agents:\n\n- \`POST /v1/runs\` with \`configurable.promptOverrides\`; snapshots with \`eventLogSchemaVersion\`; \`events/poll\` waits up to \`timeout\` seconds; \`:cancel\`, \`:pause\` with \`drainPolicy\`, \`:resume\`, \`runs:bulk-cancel\`.\n- Server-sent events in the four stream modes: \`values\` (\`state.snapshot\`), \`updates\`, \`messages\` (\`ai.message.chunk\`), \`debug\`. A fifth, \`onbook\`, has every event and pieces of replies as \`onbook.message.chunk\`. Events that OpenWOP has no word for are named \`onbook.…\`, in \`debug\` and \`onbook\` alone. A stream that is complete ends with an id that has no event; a reader that comes back with it is answered 204, and one that comes back with the last event gets an empty stream.\n- \`POST /v1/runs/{runId}:fork\` makes a run again (\`replay\`) or branches it at an event (\`branch\`). Differences are \`replay.diverged\`; a host default that was rotated since is \`version.pinned\`. Events of one commit are copied or made again together, so a fork may make a few events before \`fromSeq\` again: \`forkOf.copied\` of its snapshot says how many were copied.\n- \`/v1/runs/{runId}/interrupts/{nodeId}\` and \`/v1/interrupts/{token}\` show and resolve approvals. The token is the id of the approval, and the request needs a key: this host signs no tokens.\n- \`GET /v1/agents\` is the inventory of RFC 0072 for the caller's tenant (\`installScope: tenant\`); \`view=summaries\` lists revisions. \`GET /v1/agents/{agentId}\` is the document as it was published, not an inventory entry. A manifest needs a prompt; one with a \`systemPromptRef\` is sent with that file: \`PUT {"manifest": {…}, "files": {"<path>": "<text>"}}\`, and is kept with the text in place of the path.\n- A template whose kind is another than its slot is sent, with the warning \`prompt_kind_mismatch\` in the run's log.\n- \`supported: false\`: refs are opaque. Inline prompts, roles and agents' own texts are sent; each ref is named in the warning \`prompt_ref_opaque\`; a node with nothing but refs fails (\`prompts_unsupported\`); no \`agent.promptResolved\`, no \`prompt.composed\`, and \`/v1/prompts:resolve\` is 501. The other \`/v1/prompts\` hang on \`endpointsSupported\` alone.\n- Node types: \`onbook.agent\`, \`core.ai.callPrompt\`. Every other type is refused when a workflow is published (\`node_type_unknown\`).\n\nNot here:\n\n${notHere()}\n\nLabels are ours and never appear in a ref on this wire.\n`
}

/** src/host/openwop/not-supported.test.ts asks a host for every row. */
function notHere() {
  const missing = JSON.parse(readFileSync('spec/openwop/not-here.json', 'utf8'))
  /** @param {readonly string[]} names */
  const listed = names => names.map(name => `\`${name}\``).join(', ')
  const endpoints = Object.entries(missing.endpoints).map(([what, requests]) => `${what} (${listed(requests)})`)
  const events = `the events ${listed(missing.events)}: an approval shows as the status \`waiting-approval\` and in \`/v1/approvals\``
  return [
    `Endpoints, which answer 404: ${endpoints.join('; ')}.`,
    `${listed(missing.verbs)}, which answers 400.`,
    `\`core.*\` node types beside \`core.ai.callPrompt\` (${listed(missing.nodeTypes)}); ${events}.`,
    `${listed([...missing.runFields, ...missing.runHeaders])}, and ${listed(missing.configurable)} in \`configurable\`: refused, never ignored.`,
    `OpenWOP's scope names (${listed(missing.scopes)}): keys have the scopes of this host.`,
  ]
    .map(line => `- ${line}`)
    .join('\n')
}

function errors() {
  const rows = Object.entries(FAULTS).map(([code, { status, say, summary }]) => {
    // Every detail shows as its own name: the message with the places left open.
    const open = new Proxy(
      {},
      {
        get: (_, name) =>
          ['known', 'tried', 'libraries', 'supported'].includes(String(name)) ? [`<${String(name)}>`] : `<${String(name)}>`,
      },
    )
    const meaning = summary ?? /** @type {(details: unknown) => string} */ (say)(open)
    return `| \`${code}\` | ${status} | ${meaning.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`
  })
  return `# Errors\n\nGenerated from the table of faults. Every error has a code that never changes, and a message that may. \`<name>\` marks a value that the message fills in.\n\n| code | HTTP status | meaning, and what to do |\n|---|---|---|\n${rows.join('\n')}\n`
}
